/* ---- Small dense algebra. */

#if MODEL_SIDES || MODEL_IMPULSES
/* matrix X = right for `count` columns, by elimination with pivots; X comes in their place. */
static void eliminate(double *matrix, int size, double *right, int count)
{
    for (int s = 0; s < size; s++) {
        int pivot = s;
        for (int i = s + 1; i < size; i++)
            if (fabs(matrix[i * size + s]) > fabs(matrix[pivot * size + s]))
                pivot = i;
        for (int j = 0; j < size; j++) {
            double kept = matrix[s * size + j];
            matrix[s * size + j] = matrix[pivot * size + j];
            matrix[pivot * size + j] = kept;
        }
        for (int j = 0; j < count; j++) {
            double kept = right[s * count + j];
            right[s * count + j] = right[pivot * count + j];
            right[pivot * count + j] = kept;
        }
        for (int i = s + 1; i < size; i++) {
            double factor = matrix[i * size + s] / matrix[s * size + s];
            for (int j = s + 1; j < size; j++)
                matrix[i * size + j] -= factor * matrix[s * size + j];
            for (int j = 0; j < count; j++)
                right[i * count + j] -= factor * right[s * count + j];
        }
    }
    for (int s = size - 1; s >= 0; s--)
        for (int j = 0; j < count; j++) {
            for (int i = s + 1; i < size; i++)
                right[s * count + j] -= matrix[s * size + i] * right[i * count + j];
            right[s * count + j] /= matrix[s * size + s];
        }
}

#endif

#if MODEL_SIDES || MODEL_SHARED == 1
/* The x of least norm that comes nearest to matrix x = right, for a symmetric matrix without
   negative eigenvalues (Jacobi 1846). Returns the rank; the matrix is used up, and `axes` is as
   large as it is. */
static int least_norm_in(double *matrix, double *axes, int size, const double *right, double *x)
{
    double largest = 0;
    int rank = 0;
    for (int i = 0; i < size * size; i++)
        axes[i] = i / size == i % size;
    for (int sweep = 0; sweep < 50; sweep++) {
        double off = 0, on = 0;
        for (int i = 0; i < size * size; i++)
            *(i / size == i % size ? &on : &off) += fabs(matrix[i]);
        if (!(off > DBL_EPSILON * DBL_EPSILON * on))
            break;
        for (int i = 0; i < size; i++)
            for (int j = i + 1; j < size; j++) {
                double entry = matrix[i * size + j];
                if (entry == 0)
                    continue;
                double half = (matrix[j * size + j] - matrix[i * size + i]) / (2 * entry);
                double tangent = (half < 0 ? -1 : 1) / (fabs(half) + sqrt(half * half + 1));
                double cosine = 1 / sqrt(tangent * tangent + 1), sine = tangent * cosine;
                for (int s = 0; s < size; s++) {
                    double a = matrix[s * size + i], b = matrix[s * size + j];
                    matrix[s * size + i] = cosine * a - sine * b;
                    matrix[s * size + j] = sine * a + cosine * b;
                }
                for (int s = 0; s < size; s++) {
                    double a = matrix[i * size + s], b = matrix[j * size + s];
                    matrix[i * size + s] = cosine * a - sine * b;
                    matrix[j * size + s] = sine * a + cosine * b;
                    a = axes[i * size + s], b = axes[j * size + s];
                    axes[i * size + s] = cosine * a - sine * b;
                    axes[j * size + s] = sine * a + cosine * b;
                }
            }
    }
    for (int i = 0; i < size; i++) {
        x[i] = 0;
        if (matrix[i * size + i] > largest)
            largest = matrix[i * size + i];
    }
    for (int i = 0; i < size; i++) {
        double part = 0, value = matrix[i * size + i];
        if (!(value > 1e-11 * largest))
            continue;
        rank++;
        for (int s = 0; s < size; s++)
            part += axes[i * size + s] * right[s];
        for (int s = 0; s < size; s++)
            x[s] += part / value * axes[i * size + s];
    }
    return rank;
}

#endif

#if MODEL_SIDES
static int least_norm(double *matrix, int size, const double *right, double *x)
{
    double axes[MOST_CONTACTS * MOST_CONTACTS];
    return least_norm_in(matrix, axes, size, right, x);
}

/* ---- Which contacts push: x >= 0, matrix x >= right, and where x > 0 it is equal (Mayer 1899). */

/* The x of these contacts alone; returns by how much, as a part, it fails to be the answer. */
static double try_pushing(const double *matrix, int size, const double *right, unsigned who,
                          double *x)
{
    double part[MOST_CONTACTS * MOST_CONTACTS], own[MOST_CONTACTS], found[MOST_CONTACTS];
    double most = 0, terms = 0, fails = 0;
    int count = 0, at[MOST_CONTACTS];
    for (int i = 0; i < size; i++) {
        x[i] = 0;
        if (who >> i & 1u)
            at[count++] = i;
        if (fabs(right[i]) > terms)
            terms = fabs(right[i]);
    }
    for (int i = 0; i < count; i++) {
        own[i] = right[at[i]];
        for (int j = 0; j < count; j++)
            part[i * count + j] = matrix[at[i] * size + at[j]];
    }
    least_norm(part, count, own, found);
    for (int i = 0; i < count; i++) {
        x[at[i]] = found[i];
        if (fabs(found[i]) > most)
            most = fabs(found[i]);
    }
    for (int i = 0; i < size; i++) {
        double miss = right[i];
        for (int j = 0; j < size; j++)
            miss -= matrix[i * size + j] * x[j];
        if (who >> i & 1u)
            miss = fabs(miss);
        if (miss > fails * terms)
            fails = miss / terms;
        if (-x[i] > fails * most)
            fails = -x[i] / most;
    }
    return fails;
}

/* Tries every set, so that among several answers the least is found. 0 where there is none. */
static int who_pushes(const double *matrix, int size, const double *right, double *x)
{
    double all[MOST_CONTACTS * MOST_CONTACTS], tried[MOST_CONTACTS], least = HUGE_VAL;
    memcpy(all, matrix, sizeof(double) * (size_t)(size * size));
    int unique = least_norm(all, size, right, tried) == size;
    for (unsigned who = 0; who < 1u << size && !(unique && least < HUGE_VAL); who++) {
        double norm = 0, fails = try_pushing(matrix, size, right, who, tried);
        for (int i = 0; i < size; i++)
            norm += tried[i] * tried[i];
        if (!(fails < 1e-9) || !(norm < least))
            continue;
        least = norm;
        for (int i = 0; i < size; i++)
            x[i] = tried[i] > 0 ? tried[i] : 0;
    }
    return least < HUGE_VAL;
}

/* ---- The contacts of an instant. */

typedef struct {
    int count, at[MOST_CONTACTS];
    double response[MODEL_UNKNOWNS * MOST_CONTACTS]; /* of the unknowns to each: M^-1 P' */
    double matrix[MOST_CONTACTS * MOST_CONTACTS];    /* G M^-1 P' */
} Contacts;

static void contacts_respond(Contacts *contacts, const double *side)
{
    double inertia[MODEL_UNKNOWNS * MODEL_UNKNOWNS];
    int count = contacts->count;
    memcpy(inertia, side + AT_INERTIA, sizeof inertia);
    for (int l = 0; l < count; l++)
        for (int j = 0; j < MODEL_UNKNOWNS; j++)
            contacts->response[j * count + l] = side[contacts->at[l] * SIDE_SIZE + SIDE_PUSH + j];
    eliminate(inertia, MODEL_UNKNOWNS, contacts->response, count);
    for (int l = 0; l < count; l++)
        for (int m = 0; m < count; m++) {
            double sum = 0;
            for (int j = 0; j < MODEL_SPEEDS; j++)
                sum += side[contacts->at[l] * SIDE_SIZE + SIDE_ROW + j] *
                       contacts->response[j * count + m];
            contacts->matrix[l * count + m] = sum;
        }
}

/* How large what f is the difference of may be. */
static double size_of_place(const Kept *now, const double *side, int l)
{
    double terms = now->reach[l];
    for (int j = 0; j < MODEL_COORDINATES; j++)
        terms += fabs(side[l * SIDE_SIZE + SIDE_GRADIENT + j] * now->y.at[j]);
    return terms;
}

/* How far rounding goes in f and in f'. */
static double near_place(const Kept *now, const double *side, int l)
{
    return 1e-12 * now->reach[l] + 1e-14 * size_of_place(now, side, l);
}

static double near_rate(const Kept *now, const double *side, int l)
{
    double terms = 0;
    for (int j = 0; j < MODEL_SPEEDS; j++)
        terms += fabs(side[l * SIDE_SIZE + SIDE_ROW + j] * now->y.at[MODEL_COORDINATES + j]);
    return 1e-11 * now->fast[l] + 1e-14 * terms;
}

static void note_sizes(Kept *now, const double *side)
{
    for (int l = 0; l < MODEL_SIDES; l++) {
        double f = fabs(side[l * SIDE_SIZE + SIDE_F]), rate = fabs(side[l * SIDE_SIZE + SIDE_RATE]);
        if (f > now->reach[l])
            now->reach[l] = f;
        if (rate > now->fast[l])
            now->fast[l] = rate;
    }
}

/* Sides at the present state, without contacts. */
static void sides_now(const Kept *now, double *side)
{
    model_state rate;
    model_derivative(&now->p, now->t, &now->y, &rate);
    model_sides(&now->p, now->t, now->y.at, rate.at, side);
}

/* Those that touch: held ones, and those that have come so near. 0 where there are too many. */
static int find_touching(const Instance *instance, const double *side, Contacts *contacts)
{
    const Kept *now = &instance->now;
    char names[256] = "";
    int count = 0;
    for (int l = 0; l < MODEL_SIDES; l++) {
        double f = side[l * SIDE_SIZE + SIDE_F];
        if (!now->held[l] && !(f >= -10 * near_place(now, side, l)))
            continue;
        if (count < MOST_CONTACTS)
            contacts->at[count] = l;
        if (strlen(names) + strlen(model_side_names[l]) + 3 < sizeof names)
            strcat(strcat(names, count ? ", " : ""), model_side_names[l]);
        count++;
    }
    contacts->count = count;
    if (count <= MOST_CONTACTS)
        return 1;
    say(instance, fmi3Error,
        "at t = %.9g %d one-sided conditions touch at once, and this FMU takes %d: %s", now->t,
        count, (int)MOST_CONTACTS, names);
    return 0;
}

/* ---- Impacts: while a condition that touches would be passed, the least change of velocity with
   f' after at most -e f' before (Moreau 1988). */

static int strike(const Instance *instance, Kept *now, const Contacts *contacts, const double *side,
                  const double *restitution)
{
    int count = contacts->count;
    double rate[MOST_CONTACTS], right[MOST_CONTACTS], x[MOST_CONTACTS];
    for (int l = 0; l < count; l++)
        rate[l] = side[contacts->at[l] * SIDE_SIZE + SIDE_RATE];
    for (int pass = 0; pass <= 100; pass++) {
        int any = 0;
        for (int l = 0; l < count; l++) {
            if (fabs(rate[l]) <= near_rate(now, side, contacts->at[l]))
                rate[l] = 0;
            any = any || rate[l] > 0;
        }
        if (!any)
            return 1;
        for (int l = 0; l < count; l++)
            right[l] = rate[l] * (pass < 100 ? 1 + restitution[l] : 1);
        int found = who_pushes(contacts->matrix, count, right, x);
        if (!found && pass < 100 && who_pushes(contacts->matrix, count, rate, x))
            found = 1, pass = 100;
        if (!found) {
            say(instance, fmi3Error, "at t = %.9g no impulses keep the conditions", now->t);
            return 0;
        }
        for (int j = 0; j < MODEL_SPEEDS; j++)
            for (int l = 0; l < count; l++)
                now->y.at[MODEL_COORDINATES + j] -= contacts->response[j * count + l] * x[l];
        for (int l = 0; l < count; l++)
            for (int m = 0; m < count; m++)
                rate[l] -= contacts->matrix[l * count + m] * x[m];
    }
    return 1;
}

/* With the rebounds; those that are too low to be followed are left out: flights of speed v come
   back from a depth of v^2/2f''. */
static int impact(Instance *instance, const Contacts *contacts, const double *before)
{
    Kept *now = &instance->now;
    model_state kept = now->y;
    double restitution[MOST_CONTACTS], side[SIDE_VALUES + 1];
    int low = 0;
    for (int l = 0; l < contacts->count; l++)
        restitution[l] = before[contacts->at[l] * SIDE_SIZE + SIDE_RESTITUTION];
    if (!strike(instance, now, contacts, before, restitution))
        return 0;
    sides_now(now, side);
    for (int l = 0; l < contacts->count; l++) {
        const double *own = side + contacts->at[l] * SIDE_SIZE;
        double depth = own[SIDE_RATE] * own[SIDE_RATE] / (2 * own[SIDE_PHI]);
        if (own[SIDE_RATE] < 0 && own[SIDE_PHI] > 0 && restitution[l] > 0 &&
            depth <= 1e-12 * now->reach[contacts->at[l]]) {
            restitution[l] = 0;
            low = 1;
        }
    }
    if (!low)
        return 1;
    now->y = kept;
    return strike(instance, now, contacts, before, restitution);
}

/* ---- Which conditions are held from now on. */
static int hold(Instance *instance, const double *side)
{
    Kept *now = &instance->now;
    Contacts contacts;
    double right[MOST_CONTACTS], x[MOST_CONTACTS];
    int count = 0;
    if (!find_touching(instance, side, &contacts))
        return 0;
    for (int l = 0; l < contacts.count; l++)
        if (fabs(side[contacts.at[l] * SIDE_SIZE + SIDE_RATE]) <=
            10 * near_rate(now, side, contacts.at[l]))
            contacts.at[count++] = contacts.at[l];
    contacts.count = count;
    contacts_respond(&contacts, side);
    for (int l = 0; l < count; l++)
        right[l] = side[contacts.at[l] * SIDE_SIZE + SIDE_PHI];
    memset(now->held, 0, sizeof now->held);
    if (count > 0 && !who_pushes(contacts.matrix, count, right, x))
        return say(instance, fmi3Error, "at t = %.9g no consistent contact forces exist", now->t),
               0;
    for (int l = 0; l < MODEL_SIDES; l++) {
        double f = side[l * SIDE_SIZE + SIDE_F], rate = side[l * SIDE_SIZE + SIDE_RATE];
        /* What leaves slowly may seem to come back by errors of the host's integrator. */
        double part = 1e-15 + (rate > -1e-6 * now->fast[l] ? now->noise : 0);
        now->offset[l] = (f > 0 ? f : 0) + part * size_of_place(now, side, l) + DBL_MIN;
    }
    for (int l = 0; l < count; l++) {
        now->held[contacts.at[l]] = x[l] > 0;
        if (x[l] > 0)
            now->offset[contacts.at[l]] = 1e-12 * x[l];
    }
    return 1;
}
#endif
