/* ---- Small dense algebra. */

#if MODEL_ROWS || MODEL_BLOWS
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

#if MODEL_ROWS || MODEL_SHARED == 1
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

#if MODEL_RUBS
/* matrix x = right where rows may depend on each other, with the largest pivots. Of all answers x
   is the least; `free` holds the directions along which it may go, a row each. Returns how many
   these are, or -1 where nothing satisfies the equations. The matrix is used up. */
static int solve_dependent(double *matrix, int size, const double *right, double *x, double *free)
{
    int column[MOST_ROWS], rank = 0;
    double r[MOST_ROWS], size_of[MOST_ROWS], worst = 0;
    for (int i = 0; i < size; i++) {
        column[i] = i;
        r[i] = right[i];
        size_of[i] = fabs(right[i]);
        if (size_of[i] > worst)
            worst = size_of[i];
    }
    for (; rank < size; rank++) {
        int row = rank, at = rank;
        for (int i = rank; i < size; i++)
            for (int j = rank; j < size; j++)
                if (fabs(matrix[i * size + j]) > fabs(matrix[row * size + at]))
                    row = i, at = j;
        double pivot = matrix[row * size + at];
        if (!(fabs(pivot) > 1e-10))
            break;
        for (int j = 0; j < size; j++) {
            double kept = matrix[row * size + j];
            matrix[row * size + j] = matrix[rank * size + j];
            matrix[rank * size + j] = kept;
        }
        for (int i = 0; i < size; i++) {
            double kept = matrix[i * size + at];
            matrix[i * size + at] = matrix[i * size + rank];
            matrix[i * size + rank] = kept;
        }
        double kept = r[row];
        r[row] = r[rank], r[rank] = kept;
        int swapped = column[at];
        column[at] = column[rank], column[rank] = swapped;
        for (int i = 0; i < size; i++) {
            double factor = matrix[i * size + rank] / pivot;
            if (i == rank || factor == 0)
                continue;
            for (int j = rank; j < size; j++)
                matrix[i * size + j] -= factor * matrix[rank * size + j];
            r[i] -= factor * r[rank];
        }
    }
    for (int i = rank; i < size; i++)
        if (!(fabs(r[i]) <= 1e-9 * worst))
            return -1;
    for (int i = 0; i < size; i++)
        x[column[i]] = i < rank ? r[i] / matrix[i * size + i] : 0;
    for (int k = rank; k < size; k++)
        for (int i = 0; i < size; i++)
            free[(k - rank) * size + column[i]] =
                i < rank ? -matrix[i * size + k] / matrix[i * size + i] : i == k;
    return size - rank;
}

/* Takes from x what it has along these directions. */
static void take_least(double *x, int size, const double *free, int count)
{
    double gram[MOST_ROWS * MOST_ROWS], axes[MOST_ROWS * MOST_ROWS], right[MOST_ROWS], c[MOST_ROWS];
    for (int i = 0; i < count; i++) {
        right[i] = 0;
        for (int j = 0; j < size; j++)
            right[i] += free[i * size + j] * x[j];
        for (int k = 0; k < count; k++) {
            gram[i * count + k] = 0;
            for (int j = 0; j < size; j++)
                gram[i * count + k] += free[i * size + j] * free[k * size + j];
        }
    }
    least_norm_in(gram, axes, count, right, c);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < size; j++)
            x[j] -= c[i] * free[i * size + j];
}

/* The largest t with slope c + value >= t for every row, and its c: the dual problem by the simplex
   method, with the first of the columns that gain (Bland 1977). `weight` tells how t hangs on each
   value. HUGE_VAL where t has no bound. */
static double largest_margin(const double *slope, const double *value, int rows, int size,
                             double *c, double *weight)
{
    enum { MOST = MOST_BOUNDS + MOST_ROWS + 2 };
    static const double none = 1e-11;
    double table[(MOST_ROWS + 2) * MOST], cost[MOST];
    int basis[MOST_ROWS + 2], equations = size + 1, width = rows + equations + 1;
    /* sum y slope = 0, sum y = 1, y >= 0, sum y value least; artificial y first. */
    for (int i = 0; i < equations; i++) {
        for (int j = 0; j < width; j++)
            table[i * width + j] = j < rows ? (i < size ? slope[j * size + i] : 1) : j == rows + i;
        table[i * width + width - 1] = i == size;
        basis[i] = rows + i;
    }
    for (int phase = 0; phase < 2; phase++) {
        for (int j = 0; j < width; j++) {
            double own = phase == 0 ? (j >= rows && j < width - 1) : j < rows ? value[j] : 0;
            cost[j] = own;
            for (int i = 0; i < equations; i++)
                cost[j] -= (phase == 0        ? basis[i] >= rows
                            : basis[i] < rows ? value[basis[i]]
                                              : 0) *
                           table[i * width + j];
        }
        for (int turn = 0; turn < 1000; turn++) {
            int enter = 0, leave = -1;
            while (enter < rows && !(cost[enter] < -none))
                enter++;
            if (enter == rows)
                break;
            for (int i = 0; i < equations; i++) {
                double part = table[i * width + enter];
                /* An artificial y that is 0 leaves first. */
                int stays = phase == 1 && basis[i] >= rows && fabs(part) > none;
                if (!(part > none) && !stays)
                    continue;
                double ratio = stays ? 0 : table[i * width + width - 1] / part;
                double best = leave < 0
                                  ? HUGE_VAL
                                  : table[leave * width + width - 1] / table[leave * width + enter];
                if (leave < 0 || ratio < best || (ratio == best && basis[i] < basis[leave]))
                    leave = i;
            }
            if (leave < 0)
                break;
            double pivot = table[leave * width + enter];
            for (int j = 0; j < width; j++)
                table[leave * width + j] /= pivot;
            for (int i = 0; i <= equations; i++) {
                double *row = i < equations ? table + i * width : cost, factor = row[enter];
                if (i != leave && factor != 0)
                    for (int j = 0; j < width; j++)
                        row[j] -= factor * table[leave * width + j];
            }
            basis[leave] = enter;
        }
        if (phase == 0 && -cost[width - 1] > 1e-9)
            return HUGE_VAL;
    }
    memset(weight, 0, sizeof(double) * (size_t)rows);
    for (int i = 0; i < equations; i++)
        if (basis[i] < rows)
            weight[basis[i]] = table[i * width + width - 1];
    for (int i = 0; i < size; i++)
        c[i] = cost[rows + i];
    return -cost[width - 1];
}
#endif
