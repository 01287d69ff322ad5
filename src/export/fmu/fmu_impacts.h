#if MODEL_SIDES
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

#if MODEL_RUBS
/* ---- Impacts with friction: percussions x in the place of forces, velocities in that of rates. */

typedef struct {
    Contacts c;
    double before[MOST_ROWS], after[MOST_ROWS], x[MOST_ROWS], restitution[MOST_ROWS];
    unsigned char newton[MOST_ROWS];
} Shock;

/* One cone problem with these rates; percussions add up. The number of its answers. */
static int strike_together(Shock *shock, const double *rates, const double *least, const Modes *now)
{
    Contacts *c = &shock->c;
    Units units;
    Found found;
    double terms;
    units.count = 0;
    memcpy(c->right, rates, sizeof c->right);
    for (int l = 0; l < c->count; l++) {
        int k, i = owner_of(c, l, &k);
        c->least[l] = least ? least[l] : 0;
        int side = i < 0 ? c->at[l] : -1;
        if (i < 0 ? !add_unit(&units, now, side, friction_of_side(now, side), 1, 0, c->least[l] > 0)
                  : k == 0 && is_unit(now, i) && !add_unit(&units, now, -1, i, 1, 0, 0))
            return -1;
    }
    int motions = search_modes(c, &units, now, &found);
    for (int l = 0; l < c->count && motions > 0; l++) {
        shock->x[l] += found.x[l];
        shock->after[l] = rate_of(c, found.x, l, &terms);
    }
    return motions;
}

static double shock_shift(const Shock *shock, int l)
{
    int struck = shock->c.at[l] < MODEL_SIDES && shock->newton[l] && shock->before[l] > 0;
    return struck ? shock->restitution[l] * shock->before[l] : 0;
}

static double shock_work(const Shock *shock)
{
    double work = 0, terms = 0;
    for (int l = 0; l < shock->c.count; l++) {
        double own = -shock->x[l] * (shock->before[l] + shock->after[l]) / 2;
        work += own;
        terms += fabs(own);
    }
    return fabs(work) <= 1e-13 * terms ? 0 : work;
}

/* With f' shifted for Newton's restitution, and what is given back for Poisson's. */
static int strike_shifted(Shock *shock, const double *rates, const double *least, const Modes *now)
{
    double shifted[MOST_ROWS];
    for (int l = 0; l < shock->c.count; l++)
        shifted[l] = rates[l] + shock_shift(shock, l);
    int motions = strike_together(shock, shifted, least, now);
    for (int l = 0; l < shock->c.count; l++)
        shock->after[l] -= shock_shift(shock, l);
    return motions;
}

static int expand(Shock *shock, const double *compression, const double *rates, double part,
                  const Modes *now)
{
    double least[MOST_ROWS];
    for (int l = 0; l < shock->c.count; l++)
        least[l] = shock->c.at[l] < MODEL_SIDES && !shock->newton[l]
                       ? part * shock->restitution[l] * compression[l]
                       : 0;
    memcpy(shock->x, compression, sizeof shock->x);
    return strike_shifted(shock, rates, least, now);
}

/* Compression as if nothing were given back, then at least e times of each percussion (Pfeiffer,
   Glocker 1996); every e is reduced until no energy is made. */
static int strike_in_phases(Shock *shock, const Modes *now)
{
    double compression[MOST_ROWS], rates[MOST_ROWS], low = 0, high = 1;
    int newton = 0, rebounds = 0, motions = strike_together(shock, shock->before, NULL, now);
    for (int l = 0; l < shock->c.count; l++)
        rebounds = rebounds ||
                   (shock->c.at[l] < MODEL_SIDES && shock->restitution[l] > 0 && shock->x[l] > 0);
    if (motions != 1 || !rebounds)
        return motions;
    memcpy(compression, shock->x, sizeof compression);
    memcpy(rates, shock->after, sizeof rates);
    motions = expand(shock, compression, rates, 1, now);
    for (int l = 0; l < shock->c.count; l++)
        newton = newton || shock->newton[l];
    if (motions != 1 || newton || shock_work(shock) <= 0)
        return motions;
    while (high - low > 1e-12) {
        double middle = (low + high) / 2;
        motions = expand(shock, compression, rates, middle, now);
        if (motions != 1)
            return motions;
        *(shock_work(shock) <= 0 ? &low : &high) = middle;
    }
    return expand(shock, compression, rates, low, now);
}

/* Whether a side with the rows of its friction is coupled to no other. */
static int is_alone(const Contacts *c, const Modes *now, int l, int width)
{
    int n = c->count, i = friction_of_side(now, c->at[l]),
        first = i < 0 ? l : c->place[first_row(i)];
    if (i >= 0 && next_friction(now, c->at[l], i) >= 0)
        return 0;
    for (int s = 0; s <= width; s++)
        for (int j = 0; j < n; j++) {
            int own = s == 0 ? l : first + s - 1;
            int inside = j == l || (j >= first && j < first + width);
            if (!inside && fabs(c->matrix[own * n + j]) >
                               1e-13 * sqrt(fabs(c->matrix[own * n + own] * c->matrix[j * n + j])))
                return 0;
        }
    return c->matrix[l * n + l] > 0;
}

/* Routh (1877): Coulomb's law at each instant of the percussion P, along one line of sliding u:
   phi, psi, theta are how f' and u fall with P and with the friction. */
typedef struct {
    double phi, psi, theta, mu;
} Line;

static void follow_line(const Line *line, double e, double *approach, double *u, double *P)
{
    double begin = 0, end = HUGE_VAL, first = *approach;
    *P = 0;
    for (int corner = 0; corner < 100; corner++) {
        double s = *u > 0 ? 1 : *u < 0 ? -1 : 0, friction = line->mu * s, most = HUGE_VAL;
        if (s == 0) {
            friction = -line->psi / line->theta;
            if (!(fabs(line->psi) <= line->mu * line->theta * (1 + 1e-15)))
                friction = line->psi > 0 ? -line->mu : line->mu;
        }
        double of_approach = -(line->phi + line->psi * friction);
        double of_u = -(line->psi + line->theta * friction);
        if (s == 0 && fabs(line->psi) <= line->mu * line->theta * (1 + 1e-15))
            of_u = 0;
        if (of_u * s < 0)
            most = -*u / of_u;
        if (end == HUGE_VAL && of_approach < 0 && -*approach / of_approach <= most) {
            /* Compression ends within. */
            double part = fmax(-*approach / of_approach, 0);
            *P += part;
            *u = part == most ? 0 : *u + of_u * part;
            *approach = 0;
            end = begin + (1 + e) * (*P - begin);
        } else if (end < HUGE_VAL && *P + most >= end) {
            *approach += of_approach * (end - *P);
            *u += of_u * (end - *P);
            *P = end;
            if (!(*approach > 1e-12 * fabs(first)))
                return;
            begin = *P; /* struck again, by the sliding */
            end = HUGE_VAL;
        } else if (most < HUGE_VAL) {
            *approach += of_approach * most;
            *P += most;
            *u = 0;
        } else {
            return; /* nothing presses */
        }
        if (end < HUGE_VAL && *P >= end)
            return;
    }
}

/* A side that no other is coupled to; 0 where this FMU cannot follow it. */
static int strike_alone(Shock *shock, const Modes *now, int l)
{
    const Contacts *c = &shock->c;
    int n = c->count, i = friction_of_side(now, c->at[l]),
        width = i < 0 ? 0 : friction_of(i)[FRICTION_WIDTH];
    int at = i < 0 ? l : c->place[first_row(i)];
    double u = 0, d[2] = {1, 0};
    Line line = {.phi = c->matrix[l * n + l], .theta = 1};
    shock->after[l] = shock->before[l];
    for (int k = 0; k < width; k++)
        shock->after[at + k] = shock->before[at + k];
    if (!(shock->before[l] > 0))
        return 1;
    if (width > 0) {
        line.mu = c->slide[i];
        line.theta = c->matrix[at * n + at];
        line.psi = c->matrix[l * n + at];
        u = shock->before[at];
    }
    if (width == 2) {
        /* The same the way round: sliding keeps its direction. */
        double other = c->matrix[(at + 1) * n + at + 1], scale = sqrt(line.phi * line.theta);
        u = hypot(shock->before[at], shock->before[at + 1]);
        for (int k = 0; k < 2 && u > 0; k++)
            d[k] = shock->before[at + k] / u;
        if (fabs(other - line.theta) > 1e-12 * line.theta ||
            fabs(c->matrix[at * n + at + 1]) > 1e-12 * line.theta ||
            fabs(line.psi) + fabs(c->matrix[l * n + at + 1]) > 1e-12 * scale)
            return 0;
        line.psi = 0;
    }
    double before = u;
    follow_line(&line, shock->restitution[l], &shock->after[l], &u, &shock->x[l]);
    for (int k = 0; k < width; k++) {
        shock->after[at + k] = u * d[k];
        shock->x[at + k] = (before - u - line.psi * shock->x[l]) / line.theta * d[k];
    }
    return 1;
}

/* Whether reactions of two-sided conditions press, which are then part of what is solved. */
static int is_pressed(const Modes *now, int i)
{
    return now->acts[MODEL_SIDES + i] && (friction_of(i)[FRICTION_PRESSES] > 0 ||
                                          (friction_of(i)[FRICTION_SIDE] >= MODEL_ONE_SIDED &&
                                           now->held[friction_of(i)[FRICTION_SIDE]]));
}

/* Alone or coupled: their percussions do not touch each other. -1: cannot be followed. */
static int strike_poisson(Shock *shock, const Modes *now)
{
    const Contacts *c = &shock->c;
    int coupled = 0, motions = 1;
    for (int l = 0; l < c->count && c->at[l] < MODEL_SIDES; l++) {
        int i = friction_of_side(now, c->at[l]);
        coupled +=
            !is_alone(c, now, l, i < 0 ? 0 : friction_of(i)[FRICTION_WIDTH]) || shock->newton[l];
    }
    for (int i = 0; i < MODEL_FRICTIONS; i++)
        coupled += is_pressed(now, i);
    if (coupled > 0)
        motions = strike_in_phases(shock, now);
    for (int l = 0; l < c->count && c->at[l] < MODEL_SIDES && motions == 1; l++) {
        int i = friction_of_side(now, c->at[l]);
        if (is_alone(c, now, l, i < 0 ? 0 : friction_of(i)[FRICTION_WIDTH]) && !shock->newton[l] &&
            !strike_alone(shock, now, l))
            return -1;
    }
    return motions;
}

/* Whether friction or a law that was named makes an impact of these another one. */
static int shock_rubs(const Modes *now, const Contacts *contacts)
{
    for (int i = 0; i < MODEL_FRICTIONS; i++)
        if (is_pressed(now, i))
            return 1;
    for (int l = 0; l < contacts->count; l++)
        if (friction_of_side(now, contacts->at[l]) >= 0 || model_side_laws[contacts->at[l]] == 2)
            return 1;
    return 0;
}

static int refuse_shock(const Instance *instance, int motions)
{
    double t = instance->now.t;
    if (motions == 0)
        say(instance, fmi3Error, "at t = %.9g no percussions within the cones of friction exist",
            t);
    else if (motions > 1)
        say(instance, fmi3Error,
            "at t = %.9g an impact with friction has %d solutions; the motion is not determined", t,
            motions);
    else
        say(instance, fmi3Error,
            "at t = %.9g an impact with friction cannot be followed by this FMU: too many contacts "
            "at once, or a sliding in space that turns during it",
            t);
    return 0;
}

static int strike_rubbing(const Instance *instance, Kept *now, const Contacts *touching,
                          const double *side, const double *restitution)
{
    Shock shock;
    int any = 0, said[3] = {0}, motions, explicit = 0;
    memset(&shock, 0, sizeof shock);
    shock.c.count = touching->count;
    memcpy(shock.c.at, touching->at, sizeof touching->at);
    for (int i = 0; i < MODEL_FRICTIONS && !explicit; i++)
        explicit = is_pressed(&now->modes, i);
    if (explicit)
        add_two_sided(&now->modes, &shock.c);
    if (!add_all_rows(&shock.c, side, &now->modes, 0, 0))
        return refuse_shock(instance, -1);
    Contacts *c = &shock.c;
    contacts_respond(&now->modes, c, side);
#if MODEL_PRESSED
    model_state rate;
    model_derivative(&now->p, now->t, &now->y, &rate);
    contacts_press(now, &rate, side, 1, c);
#endif
    for (int l = 0; l < c->count; l++) {
        shock.before[l] = side[c->at[l] * SIDE_SIZE + SIDE_RATE];
        if (fabs(shock.before[l]) <= near_rate(now, side, c->at[l]))
            shock.before[l] = 0;
        if (l < touching->count) {
            shock.restitution[l] = restitution[l];
            said[model_side_laws[c->at[l]]] = 1;
            any = any || shock.before[l] > 0;
        }
    }
    memcpy(shock.after, shock.before, sizeof shock.after);
    memcpy(c->hold, c->slide, sizeof c->hold);
    if (!any)
        return 1;
    for (int l = 0; l < touching->count; l++)
        shock.newton[l] = said[1] && (!said[2] || model_side_laws[c->at[l]] == 1);
    motions = said[1] && !said[2] ? strike_shifted(&shock, shock.before, NULL, &now->modes)
                                  : strike_poisson(&shock, &now->modes);
    if (motions != 1)
        return refuse_shock(instance, motions);
    double work = shock_work(&shock), size = 0;
    for (int l = 0; l < c->count; l++)
        size += fabs(shock.x[l] * shock.before[l]);
    if (said[1] && work > 1e-9 * size)
        return say(instance, fmi3Error,
                   "at t = %.9g an impact by Newton's law would add the energy %.6g; 'law poisson' "
                   "never does",
                   now->t, work),
               0;
    for (int j = 0; j < MODEL_SPEEDS; j++)
        for (int l = 0; l < c->count; l++)
            now->y.at[MODEL_COORDINATES + j] -= c->response[j * c->count + l] * shock.x[l];
    return 1;
}
#endif

static int strike_by_law(const Instance *instance, Kept *now, const Contacts *contacts,
                         const double *side, const double *restitution)
{
#if MODEL_RUBS
    if (shock_rubs(&now->modes, contacts))
        return strike_rubbing(instance, now, contacts, side, restitution);
#endif
    return strike(instance, now, contacts, side, restitution);
}

/* Whether a contact leaves so slowly that it comes back before that can be followed: flights of
   speed v come back from a depth of v^2/2f''. */
static int is_low(const Kept *now, const double *side, int l)
{
    const double *own = side + l * SIDE_SIZE;
    double depth = own[SIDE_RATE] * own[SIDE_RATE] / (2 * own[SIDE_PHI]);
    return own[SIDE_RATE] < 0 && own[SIDE_PHI] > 0 && depth <= 1e-12 * now->reach[l];
}

/* A body that falls from one contact to the other and back ever faster comes to rest on both: what
   is low and was struck as short a time ago keeps all that touches. */
static void end_rocking(Kept *now, const Contacts *contacts, const double *side, double last)
{
    Contacts all;
    double x[MOST_ROWS], rate[MOST_ROWS], matrix[MOST_ROWS * MOST_ROWS];
    double slowest = 0;
    int low = 0;
    all.count = 0;
    for (int l = 0; l < contacts->count; l++) {
        const double *own = side + contacts->at[l] * SIDE_SIZE;
        slowest = fmax(slowest, fabs(own[SIDE_RATE]));
        int slow = is_low(now, side, contacts->at[l]);
        low = low || (slow && (now->t - last) * own[SIDE_PHI] <= -20 * own[SIDE_RATE]);
        if (slow || fabs(own[SIDE_RATE]) <= 10 * near_rate(now, side, contacts->at[l])) {
            rate[all.count] = own[SIDE_RATE];
            all.at[all.count++] = contacts->at[l];
        }
    }
    if (!low)
        return;
#if MODEL_RUBS
    /* What slides no faster than that sticks. */
    for (int l = 0, sides = all.count; l < sides; l++)
        for (int i = friction_of_side(&now->modes, all.at[l]); i >= 0;
             i = next_friction(&now->modes, all.at[l], i))
            for (int k = 0; k < friction_of(i)[FRICTION_WIDTH]; k++) {
                double speed = side[(first_row(i) + k) * SIDE_SIZE + SIDE_RATE];
                if (fabs(speed) > 10 * slowest || all.count == MOST_ROWS)
                    continue;
                rate[all.count] = speed;
                all.at[all.count++] = first_row(i) + k;
            }
#endif
    contacts_respond(&now->modes, &all, side);
    memcpy(matrix, all.matrix, sizeof matrix);
    least_norm(matrix, all.count, rate, x);
    for (int j = 0; j < MODEL_SPEEDS; j++)
        for (int l = 0; l < all.count; l++)
            now->y.at[MODEL_COORDINATES + j] -= all.response[j * all.count + l] * x[l];
}

/* With the rebounds; those that are too low to be followed are left out. */
static int impact(Instance *instance, const Contacts *contacts, const double *before)
{
    Kept *now = &instance->now;
    model_state kept = now->y;
    double restitution[MOST_CONTACTS], side[SIDE_VALUES + 1], last = now->struck;
    int low = 0;
    for (int l = 0; l < contacts->count; l++)
        restitution[l] = before[contacts->at[l] * SIDE_SIZE + SIDE_RESTITUTION];
    if (!strike_by_law(instance, now, contacts, before, restitution))
        return 0;
    if (memcmp(&kept, &now->y, sizeof kept) == 0)
        return 1;
    now->struck = now->t;
    sides_now(now, side);
    for (int l = 0; l < contacts->count; l++)
        if (restitution[l] > 0 && is_low(now, side, contacts->at[l])) {
            restitution[l] = 0;
            low = 1;
        }
    if (low) {
        now->y = kept;
        if (!strike_by_law(instance, now, contacts, before, restitution))
            return 0;
        sides_now(now, side);
    }
    end_rocking(now, contacts, side, last);
    return 1;
}

#endif
