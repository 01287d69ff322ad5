// dop853.h: Hairer's DOP853 in one number type: include it with REAL (the type), IN(name) (what its
// names become), PARTS and IN(rate)(t, y, out) defined. No include guard: it is meant to be read
// twice.
//
// The method and its figures: Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I,
// 2nd ed., § II.10. Only the stages' weights that are not 0 are kept, so that a stage costs what it
// would cost written out.

typedef struct {
    int from;
    REAL weight;
} IN(Weight);

// Where in a step each stage lies.
static const REAL IN(nodes)[STAGES] = {0,
                                       0.526001519587677318785587544488e-1L,
                                       0.789002279381515978178381316732e-1L,
                                       0.118350341907227396726757197510L,
                                       0.281649658092772603273242802490L,
                                       0.333333333333333333333333333333L,
                                       0.25L,
                                       0.307692307692307692307692307692L,
                                       0.651282051282051282051282051282L,
                                       0.6L,
                                       0.857142857142857142857142857142L,
                                       1};
// What each stage, and last the step itself, adds up; the rest of a row is 0.
static const IN(Weight) IN(weights)[STAGES + 1][STAGES] = {
    {{0, 0}},
    {{0, 5.26001519587677318785587544488e-2L}},
    {{0, 1.97250569845378994544595329183e-2L}, {1, 5.91751709536136983633785987549e-2L}},
    {{0, 2.95875854768068491816892993775e-2L}, {2, 8.87627564304205475450678981324e-2L}},
    {{0, 2.41365134159266685502369798665e-1L},
     {2, -8.84549479328286085344864962717e-1L},
     {3, 9.24834003261792003115737966543e-1L}},
    {{0, 3.7037037037037037037037037037e-2L},
     {3, 1.70828608729473871279604482173e-1L},
     {4, 1.25467687566822425016691814123e-1L}},
    {{0, 3.7109375e-2L},
     {3, 1.70252211019544039314978060272e-1L},
     {4, 6.02165389804559606850219397283e-2L},
     {5, -1.7578125e-2L}},
    {{0, 3.70920001185047927108779319836e-2L},
     {3, 1.70383925712239993810214054705e-1L},
     {4, 1.07262030446373284651809199168e-1L},
     {5, -1.53194377486244017527936158236e-2L},
     {6, 8.27378916381402288758473766002e-3L}},
    {{0, 6.24110958716075717114429577812e-1L},
     {3, -3.36089262944694129406857109825L},
     {4, -8.68219346841726006818189891453e-1L},
     {5, 2.75920996994467083049415600797e1L},
     {6, 2.01540675504778934086186788979e1L},
     {7, -4.34898841810699588477366255144e1L}},
    {{0, 4.77662536438264365890433908527e-1L},
     {3, -2.48811461997166764192642586468L},
     {4, -5.90290826836842996371446475743e-1L},
     {5, 2.12300514481811942347288949897e1L},
     {6, 1.52792336328824235832596922938e1L},
     {7, -3.32882109689848629194453265587e1L},
     {8, -2.03312017085086261358222928593e-2L}},
    {{0, -9.3714243008598732571704021658e-1L},
     {3, 5.18637242884406370830023853209L},
     {4, 1.09143734899672957818500254654L},
     {5, -8.14978701074692612513997267357L},
     {6, -1.85200656599969598641566180701e1L},
     {7, 2.27394870993505042818970056734e1L},
     {8, 2.49360555267965238987089396762L},
     {9, -3.0467644718982195003823669022L}},
    {{0, 2.27331014751653820792359768449L},
     {3, -1.05344954667372501984066689879e1L},
     {4, -2.00087205822486249909675718444L},
     {5, -1.79589318631187989172765950534e1L},
     {6, 2.79488845294199600508499808837e1L},
     {7, -2.85899827713502369474065508674L},
     {8, -8.87285693353062954433549289258L},
     {9, 1.23605671757943030647266201528e1L},
     {10, 6.43392746015763530355970484046e-1L}},
    {{0, 5.42937341165687622380535766363e-2L},
     {5, 4.45031289275240888144113950566L},
     {6, 1.89151789931450038304281599044L},
     {7, -5.8012039600105847814672114227L},
     {8, 3.1116436695781989440891606237e-1L},
     {9, -1.52160949662516078556178806805e-1L},
     {10, 2.01365400804030348374776537501e-1L},
     {11, 4.47106157277725905176885569043e-2L}},
};
static const int IN(weight_counts)[STAGES + 1] = {0, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 8};
// The weights of the comparison of order 3, and the error of that of order 5.
static const IN(Weight) IN(third)[] = {{0, 0.244094488188976377952755905512L},
                                       {8, 0.733846688281611857341361741547L},
                                       {11, 0.220588235294117647058823529412e-1L}};
static const IN(Weight) IN(fifth)[] = {
    {0, 0.1312004499419488073250102996e-1L},  {5, -0.1225156446376204440720569753e+1L},
    {6, -0.4957589496572501915214079952L},    {7, 0.1664377182454986536961530415e+1L},
    {8, -0.3503288487499736816886487290L},    {9, 0.3341791187130174790297318841L},
    {10, 0.8192320648511571246570742613e-1L}, {11, -0.2235530786388629525884427845e-1L}};

static inline void IN(add)(const IN(Weight) * weights, int count, REAL k[][PARTS], REAL *sum)
{
    for (int part = 0; part < PARTS; part++)
        sum[part] = 0;
    for (int i = 0; i < count; i++)
        for (int part = 0; part < PARTS; part++)
            sum[part] += weights[i].weight * k[weights[i].from][part];
}

// Hairer's error of a step from the stages and their sum, in units of the tolerance.
static REAL IN(error)(REAL k[][PARTS], const REAL *step, const REAL *y, const REAL *next, REAL h,
                      REAL tolerance)
{
    REAL third[PARTS], fifth[PARTS], five = 0, three = 0;
    IN(add)(IN(third), sizeof IN(third) / sizeof *IN(third), k, third);
    IN(add)(IN(fifth), sizeof IN(fifth) / sizeof *IN(fifth), k, fifth);
    for (int part = 0; part < PARTS; part++) {
        REAL scale = tolerance * (1 + IN(fmax)(IN(fabs)(y[part]), IN(fabs)(next[part])));
        REAL e5 = fifth[part] / scale, e3 = (step[part] - third[part]) / scale;
        five += e5 * e5;
        three += e3 * e3;
    }
    REAL below = five + (REAL)0.01L * three;
    return below > 0 ? h * five / IN(sqrt)(PARTS * below) : 0;
}

// A first step (Hairer, Nørsett, Wanner, § II.4): a hundredth of the time in which the rates would
// change a state by its own size, in units of the tolerance.
static REAL IN(first_step)(const REAL *y, const REAL *rate, REAL end, REAL tolerance)
{
    REAL size = 0, speed = 0;
    for (int part = 0; part < PARTS; part++) {
        REAL scale = tolerance * (1 + IN(fabs)(y[part]));
        size += y[part] / scale * (y[part] / scale);
        speed += rate[part] / scale * (rate[part] / scale);
    }
    return size > 0 && speed > 0 ? IN(fmin)((REAL)0.01L * IN(sqrt)(size / speed), end) : end / 1000;
}

// From y at t = 0 to `end`; the number of steps.
static long IN(integrate)(REAL *y, REAL end, REAL tolerance)
{
    static REAL k[STAGES][PARTS];
    REAL sum[PARTS], next[PARTS], t = 0, h;
    bool rejected = false;
    long steps = 0;
    IN(rate)(t, y, k[0]);
    h = IN(first_step)(y, k[0], end, tolerance);
    while (t < end) {
        bool last = h >= end - t;
        h = IN(fmin)(h, end - t);
        for (int stage = 1; stage <= STAGES; stage++) {
            IN(add)(IN(weights)[stage], IN(weight_counts)[stage], k, sum);
            for (int part = 0; part < PARTS; part++)
                next[part] = y[part] + h * sum[part];
            if (stage < STAGES)
                IN(rate)(t + IN(nodes)[stage] * h, next, k[stage]);
        }
        REAL error = IN(error)(k, sum, y, next, h, tolerance);
        REAL factor = (REAL)0.9L * IN(pow)(error + (REAL)1e-30L, (REAL)-0.125L);
        if (error <= 1) {
            t = last ? end : t + h;
            steps++;
            for (int part = 0; part < PARTS; part++)
                y[part] = next[part];
            IN(rate)(t, y, k[0]);
        }
        h *= IN(fmin)(rejected && error <= 1 ? 1 : 6, IN(fmax)((REAL)0.333L, factor));
        rejected = error > 1;
    }
    return steps;
}
