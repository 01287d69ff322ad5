/* ---- Steps of co-simulation: Gragg's midpoint rule (1965), extrapolated. */

/* How often a step is looked at for events. What rests takes no step of its own choice: it is
   looked at as often as the model has rows. */
enum { COLUMNS = 8, LOOKS = MODEL_FRICTIONS + MODEL_EVENTS ? 4 : 2 };

static void rates_at(const Kept *now, double t, const model_state *y, model_state *rate)
{
    Kept there = *now;
    Instant in;
    there.t = t;
    there.y = *y;
    find_rates(&there, &in);
    *rate = in.rate;
}

/* At the end of a step a table still has the piece of the step. */
static double before(double t)
{
    return MODEL_KNOTS ? t - 4 * DBL_EPSILON * fabs(t) : t;
}

static void midpoint(const Kept *now, double h, int count, const model_state *first,
                     model_state *end)
{
    model_state last = now->y, here, next, rate;
    double step = h / count;
    for (int i = 0; i < STATES; i++)
        here.at[i] = last.at[i] + step * first->at[i];
    for (int s = 1; s < count; s++) {
        rates_at(now, now->t + s * step, &here, &rate);
        for (int i = 0; i < STATES; i++)
            next.at[i] = last.at[i] + 2 * step * rate.at[i];
        last = here;
        here = next;
    }
    rates_at(now, before(now->t + h), &here, &rate);
    for (int i = 0; i < STATES; i++)
        end->at[i] = (last.at[i] + here.at[i] + step * rate.at[i]) / 2;
}

/* Returns the error against what is allowed. */
static double extrapolate(const Kept *now, double h, model_state *end)
{
    model_state table[COLUMNS], first;
    double error = 0;
    rates_at(now, now->t, &now->y, &first);
    for (int j = 0; j < COLUMNS; j++) {
        midpoint(now, h, 2 * (j + 1), &first, &table[j]);
        for (int s = j - 1; s >= 0; s--) {
            double ratio = (double)(j + 1) / (s + 1);
            for (int i = 0; i < STATES; i++)
                table[s].at[i] = table[s + 1].at[i] +
                                 (table[s + 1].at[i] - table[s].at[i]) / (ratio * ratio - 1);
        }
    }
    *end = table[0];
    for (int i = 0; i < STATES; i++) {
        double part = fabs(table[0].at[i] - table[1].at[i]) / (1e-12 * (1 + fabs(end->at[i])));
        if (!(part < HUGE_VAL))
            return HUGE_VAL;
        if (part > error)
            error = part;
    }
    return error;
}

#if MODEL_WATCHES
/* Indicators, and the rates of the sides, after h; 0 where these are not finite. */
typedef struct {
    double h, z[INDICATORS], rate[MODEL_SIDES + 1];
    model_state y;
} Look;

static void look_at(const Kept *now, double h, Look *look)
{
    Kept there = *now;
    Instant in;
    look->h = h;
    if (h > 0)
        extrapolate(now, h, &there.y);
    there.t += h;
    take_inputs(&there);
#if MODEL_EVENTS
    double values[VALUES];
    find_values(&there, &in, values);
    memcpy(look->z, values + AT_INDICATORS, sizeof look->z);
#else
    find_rates(&there, &in);
    find_indicators(&there, &in, look->z);
#endif
#if MODEL_SIDES
    for (int l = 0; l < MODEL_SIDES; l++)
        look->rate[l] = now->modes.held[l] || !may_touch(&now->modes, l)
                            ? 0
                            : in.side[l * SIDE_SIZE + SIDE_RATE];
#endif
    look->y = there.y;
}

/* Above 0 where an indicator tells that something has happened. */
static double beyond(const Kept *now, const Look *look, int i)
{
    (void)now;
#if MODEL_EVENTS
    /* At 0 an event's function says nothing before it has left it. */
    if (i >= AT_EVENTS)
        return now->sign[i - AT_EVENTS] ? -look->z[i] * now->sign[i - AT_EVENTS] : -1;
#endif
#if MODEL_SWITCHES
    if (i >= AT_SWITCHES)
        return now->p.mode[i - AT_SWITCHES] ? -look->z[i] * now->p.mode[i - AT_SWITCHES]
                                            : fabs(look->z[i]);
#endif
#if MODEL_SIDES
    /* What leaves and is beyond 0 by roundings alone has been met before. */
    if (i < MODEL_SIDES && look->rate[i] < 0 && look->z[i] <= 1e-11 * now->reach[i])
        return -fabs(look->z[i]);
#endif
    return look->z[i];
}

/* What switches and fires is there at 0, too, once it has left the start of the step. */
static int crosses(const Kept *now, const Look *look, int i)
{
    double value = beyond(now, look, i);
    int reached = value == 0 && look->h > 0 && i >= AT_SWITCHES;
#if MODEL_SWITCHES
    reached = reached && (i >= AT_EVENTS || now->p.mode[i - AT_SWITCHES]);
#endif
    return value > 0 || reached;
}

static int first_crossing(const Kept *now, const Look *look)
{
    for (int i = 0; i < INDICATORS; i++)
        if (crosses(now, look, i))
            return i;
    return -1;
}

/* Narrows to where an indicator crosses 0, or a rate does; *b is behind it, as near as can be. */
static void narrow(const Kept *now, const Look *start, Look *b, int which, int of_rate)
{
    Look a = *start, c;
    double va = of_rate ? a.rate[which] : beyond(now, &a, which);
    double vb = of_rate ? b->rate[which] : beyond(now, b, which);
    int side = 0;
    for (int round = 0; round < 100; round++) {
        double width = b->h - a.h, least = 4 * DBL_EPSILON * (fabs(now->t) + b->h);
        if (vb == 0 || !(width > least))
            return;
        /* Regula falsi with halved values (Illinois); every third time the middle. */
        double h = round % 3 == 2 ? a.h + width / 2 : a.h + width * va / (va - vb);
        if (!(h > a.h) || !(h < b->h))
            h = a.h + width / 2;
        look_at(now, h, &c);
        double vc = of_rate ? c.rate[which] : beyond(now, &c, which);
        if ((vc > 0) == (vb > 0)) {
            *b = c;
            vb = vc;
            va = side == 1 ? va / 2 : va;
            side = 1;
        } else {
            a = c;
            va = vc;
            vb = side == 2 ? vb / 2 : vb;
            side = 2;
        }
    }
}

/* Whether an indicator that is largest between three looks passes 0 there: parabolas tell where to
   look next. */
static int find_peak(const Kept *now, int i, const Look *first, const Look *second,
                     const Look *third, Look *found)
{
    Look a = *first, b = *second, c = *third, d;
    for (int round = 0; round < 8; round++) {
        double x = a.h - b.h, y = c.h - b.h, at_b = beyond(now, &b, i);
        double u = (beyond(now, &a, i) - at_b) / x, w = (beyond(now, &c, i) - at_b) / y;
        double curve = (w - u) / (y - x), slope = u - curve * x;
        double peak = at_b - slope * slope / (4 * curve), h = b.h - slope / (2 * curve);
        /* What parabolas miss is less than what they add. */
        if (!(curve < 0) || !(peak + (peak - at_b) > 0) || !(h > a.h) || !(h < c.h) || h == b.h)
            return 0;
        look_at(now, h, &d);
        if (crosses(now, &d, i))
            return *found = d, 1;
        if (beyond(now, &d, i) > at_b) {
            *(h < b.h ? &c : &a) = b;
            b = d;
        } else {
            *(h < b.h ? &a : &c) = d;
        }
    }
    return 0;
}

/* Whether something happens within h; *found is then the first place where it has happened. */
static int find_event(const Kept *now, double h, Look *found)
{
    Look at[LOOKS + 1], start;
    look_at(now, 0, &at[0]);
    *found = start = at[0];
    for (int k = 1; k <= LOOKS && first_crossing(now, found) < 0; k++) {
        look_at(now, h * k / LOOKS, &at[k]);
        start = at[k - 1];
        if (first_crossing(now, &at[k]) >= 0)
            *found = at[k];
        /* A condition may be passed and come back, and so may anything else. */
        for (int l = 0; l < MODEL_SIDES && first_crossing(now, found) < 0; l++) {
            Look top = at[k];
            if (!(start.rate[l] > 0) || !(top.rate[l] < 0))
                continue;
            narrow(now, &start, &top, l, 1);
            if (first_crossing(now, &top) >= 0)
                *found = top;
        }
        for (int i = MODEL_SIDES; i < INDICATORS && k > 1 && first_crossing(now, found) < 0; i++)
            if (beyond(now, &at[k - 1], i) > beyond(now, &at[k - 2], i) &&
                beyond(now, &at[k - 1], i) > beyond(now, &at[k], i) &&
                find_peak(now, i, &at[k - 2], &at[k - 1], &at[k], found))
                start = at[k - 2];
    }
    int which = first_crossing(now, found);
    if (which < 0)
        return 0;
    /* Each that has crossed there brings it nearer, to where it does so itself. */
    for (int i = which; i < INDICATORS; i++)
        if (crosses(now, found, i))
            narrow(now, &start, found, i, 0);
    return 1;
}
#endif

/* Whether the rest of the way takes less than a million steps like the last thousand, an event
   counting as several; the host is told where it does not. */
static int keeps_pace(const Instance *instance, double until, int cost, int *tried, double *mark)
{
    const Kept *now = &instance->now;
    if ((*tried += cost) < 1000)
        return 1;
    *tried = 0;
    if (until - now->t > 1000 * (now->t - *mark))
        return say(instance, fmi3Error,
                   "at t = %.9g the steps have become so short, about %.1e, that the way to %.9g "
                   "would take millions of them: the motion is near a singular place, or these "
                   "parameters and inputs make it stiff",
                   now->t, (now->t - *mark) / 1000, until),
               0;
    *mark = now->t;
    return 1;
}

/* How long a step may be: what slides in two directions must not pass its end, where the force
   turns round within a step. */
static double longest_step(const Kept *now)
{
    double longest = LOOKS > 2 && now->step > MODEL_EVERY ? MODEL_EVERY : now->step;
#if MODEL_EVENTS
    for (int i = 0; i < MODEL_EVENTS; i++)
        if (model_event_table[i][EVENT_TRIGGER] < ON_IMPACT && now->sign[i] == 0 &&
            longest > MODEL_EVERY / 16)
            longest = MODEL_EVERY / 16;
#endif
#if MODEL_RUBS
    Instant in;
    double x[MOST_ROWS], terms;
    find_rates(now, &in);
    forces_of(&in, x);
    for (int i = 0; i < MODEL_FRICTIONS; i++) {
        int at = in.contacts.place[first_row(i)];
        if (in.modes.mode[i] != TURNS || at < 0)
            continue;
        double slower = -in.modes.toward[2 * i] * rate_of(&in.contacts, x, at, &terms) -
                        in.modes.toward[2 * i + 1] * rate_of(&in.contacts, x, at + 1, &terms);
        double left = sliding_speed(in.side, i) - slowest(now, i) / 2;
        if (slower > 0 && left > 0 && 0.9 * left < longest * slower)
            longest = 0.9 * left / slower;
    }
#endif
    return longest;
}

/* To a later time; 0 where it cannot go on: the host has been told why. */
static int advance(Instance *instance, double until)
{
    Kept *now = &instance->now;
    int stuck = 0, tried = 0;
    double mark = now->t;
    if (now->changed && !settle(instance))
        return 0;
    while (now->t < until && !now->stopped) {
        double stop = next_impulse(now), knot = next_knot(now);
        if (stop > knot)
            stop = knot;
        if (stop > until)
            stop = until;
        double most = longest_step(now);
        int last = now->t + most >= stop, happens = 0;
        double begin_t = now->t;
        double h = last ? stop - now->t : most;
        model_state end;
        double error = extrapolate(now, h, &end);
        double change = 0.9 * pow(error > 1e-12 ? error : 1e-12, -1.0 / 15);
        if (error <= 1) {
#if MODEL_WATCHES
            Look found;
            happens = find_event(now, h, &found);
            if (happens) {
                end = found.y;
                last = 0;
                h = found.h;
            }
            /* Where rates end in a corner there the way up to it is taken in shorter steps. */
            if (happens && extrapolate(now, h, &end) > 1 && h > 1e-9 * MODEL_EVERY) {
                now->step = h / 2;
                if (!keeps_pace(instance, until, 2, &tried, &mark))
                    return 0;
                continue;
            }
#endif
            now->y = end;
            now->t = last ? stop : now->t + h;
            if (project(now) == HUGE_VAL)
                return say(instance, fmi3Error, "at t = %.9g the conditions cannot be kept",
                           now->t),
                       0;
            if (!step_taken(instance))
                return 0;
            if ((happens || next_impulse(now) <= now->t) && !settle(instance))
                return 0;
            stuck = happens && now->t - begin_t <= 1e-12 * (1 + fabs(now->t)) ? stuck + 1 : 0;
        }
        if (error > 1 || (!last && !happens))
            now->step = h * (change > 3 ? 3 : change > 0.2 ? change : 0.2);
        if (!(now->t + now->step / 1000 > now->t) || stuck > 100)
            return say(instance, fmi3Error,
                       stuck > 100 ? "at t = %.9g events follow each other without end"
                                   : "no step from t = %.9g has a finite end",
                       now->t),
                   0;
        if (!keeps_pace(instance, until, happens ? 2 : 1, &tried, &mark))
            return 0;
    }
    return 1;
}
