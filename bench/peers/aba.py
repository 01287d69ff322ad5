# aba.py: Featherstone's articulated-body algorithm written out as C by CasADi, for a chain whose
# links have one joint each (bench/chains NAME N --json).
#
#     python3 bench/peers/aba.py NAME [N] OUT.c [--keen]    prints how many operations it has
#
# R. Featherstone, Rigid Body Dynamics Algorithms, 2008, section 7.3, in the axes of the links. What
# is 0 in every position is dropped, symmetric matrices are worked out once, turns are about one
# axis, and common subexpressions are shared. `keen` also takes the turn of a symmetric matrix by
# what it does not change, which is not in the book.
import json
import os
import subprocess
import sys

AXES = {"x": 0, "y": 1, "z": 2}
HERE = os.path.dirname(os.path.abspath(__file__))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def add(a, b):
    return [x + y for x, y in zip(a, b)]


def apply(m, a):
    return [sum((m[i][j] * a[j] for j in range(1, 3)), m[i][0] * a[0]) for i in range(3)]


class Turn:
    """About an axis of both frames: `down` into the link's axes, `up` into those before it."""

    def __init__(self, axis, c, s, keen):
        self.j, self.k, self.c, self.s = (axis + 1) % 3, (axis + 2) % 3, c, s
        self.keen = keen

    def down(self, a):
        b = list(a)
        b[self.j] = self.c * a[self.j] + self.s * a[self.k]
        b[self.k] = self.c * a[self.k] - self.s * a[self.j]
        return b

    def up(self, a):
        b = list(a)
        b[self.j] = self.c * a[self.j] - self.s * a[self.k]
        b[self.k] = self.s * a[self.j] + self.c * a[self.k]
        return b

    def up_matrix(self, m, symmetric):
        """E^T m E. Of a symmetric one the two diagonal entries keep their sum."""
        j, k, i = self.j, self.k, 3 - self.j - self.k
        n = [list(row) for row in m]
        if symmetric and self.keen:
            w = self.s * (m[j][j] - m[k][k]) + 2 * self.c * m[j][k]
            n[j][j], n[k][k] = m[j][j] - self.s * w, m[k][k] + self.s * w
            n[j][k] = n[k][j] = self.c * w - m[j][k]
            side = self.up(m[i])
            n[i][j], n[i][k] = side[j], side[k]
            n[j][i], n[k][i] = side[j], side[k]
            return n
        n = [self.up(row) for row in m]
        columns = [self.up([n[r][col] for r in range(3)]) for col in range(3)]
        return [[columns[col][r] for col in range(3)] for r in range(3)]


def tensor_about(link):
    """Mass, mass moment and inertia of a link about its joint."""
    m, c, t = link["mass"], link["centre"], link["inertia"]
    own = [[t[0], t[3], t[5]], [t[3], t[1], t[4]], [t[5], t[4], t[2]]]
    square = sum(x * x for x in c)
    return m, [m * x for x in c], [[own[i][j] + m * ((square if i == j else 0) - c[i] * c[j])
                                    for j in range(3)] for i in range(3)]


def skew(a, zero):
    return [[zero, -a[2], a[1]], [a[2], zero, -a[0]], [-a[1], a[0], zero]]


def accelerations(links, gravity, q, v, keen, casadi):
    SX = casadi.SX
    zero = SX(0)
    n = len(links)
    turns, omega, speed, bias_w, bias_v = [], [], [], [], []
    J, H, M, p_n, p_f = [], [], [], [], []
    w, u = [zero] * 3, [zero] * 3
    # Outwards: velocities, and what they give.
    for i, link in enumerate(links):
        axis, r = AXES[link["axis"]], [SX(x) for x in link["joint"]]
        turn = Turn(axis, casadi.cos(q[i]), casadi.sin(q[i]), keen)
        u = turn.down(add(u, cross(w, r)))
        w = turn.down(w)
        e = [zero] * 3
        e[axis] = v[i]
        w = add(w, e)
        bias_w.append(cross(w, e))
        bias_v.append(cross(u, e))
        m, h, tensor = tensor_about(link)
        h, tensor = [SX(x) for x in h], [[SX(x) for x in row] for row in tensor]
        moment = add(apply(tensor, w), cross(h, u))
        momentum = add([m * x for x in u], [-x for x in cross(h, w)])
        p_n.append(add(cross(w, moment), cross(u, momentum)))
        p_f.append(cross(w, momentum))
        J.append(tensor)
        H.append(skew(h, zero))
        M.append([[SX(m) if a == b else zero for b in range(3)] for a in range(3)])
        turns.append(turn)
    # Inwards: articulated inertias.
    U, D, rest = [None] * n, [None] * n, [None] * n
    for i in reversed(range(n)):
        axis = AXES[links[i]["axis"]]
        Ua = [J[i][a][axis] for a in range(3)]
        Ub = [H[i][axis][a] for a in range(3)]
        D[i], rest[i] = 1 / Ua[axis], -p_n[i][axis]
        U[i] = (Ua, Ub)
        if i == 0:
            break
        Va, Vb = [x * D[i] for x in Ua], [x * D[i] for x in Ub]
        Ja = [[None] * 3 for _ in range(3)]
        Ma = [[None] * 3 for _ in range(3)]
        for a in range(3):
            for b in range(a, 3):
                known = axis in (a, b)
                Ja[a][b] = Ja[b][a] = zero if known else J[i][a][b] - Ua[a] * Va[b]
                Ma[a][b] = Ma[b][a] = M[i][a][b] - Ub[a] * Vb[b]
        Ha = [[zero if a == axis else H[i][a][b] - Va[a] * Ub[b] for b in range(3)]
              for a in range(3)]
        n_a = add(add(p_n[i], apply(Ja, bias_w[i])), apply(Ha, bias_v[i]))
        n_a = add(n_a, [x * rest[i] for x in Va])
        f_a = add(p_f[i], apply([[Ha[b][a] for b in range(3)] for a in range(3)], bias_w[i]))
        f_a = add(add(f_a, apply(Ma, bias_v[i])), [x * rest[i] for x in Vb])
        turn, r = turns[i], [SX(x) for x in links[i]["joint"]]
        Ju, Hu, Mu = (turn.up_matrix(Ja, True), turn.up_matrix(Ha, False),
                      turn.up_matrix(Ma, True))
        n_u, f_u = turn.up(n_a), turn.up(f_a)
        R = skew(r, zero)
        RM = [[sum((R[a][c] * Mu[c][b] for c in range(1, 3)), R[a][0] * Mu[0][b])
               for b in range(3)] for a in range(3)]
        Hm = [add(Hu[a], RM[a]) for a in range(3)]
        for a in range(3):
            for b in range(a, 3):
                more = zero
                for c in range(3):
                    more = more + R[a][c] * Hu[b][c] - Hm[a][c] * R[c][b]
                J[i - 1][a][b] = J[i - 1][a][b] + Ju[a][b] + more
                J[i - 1][b][a] = J[i - 1][a][b]
                M[i - 1][a][b] = M[i - 1][a][b] + Mu[a][b]
                M[i - 1][b][a] = M[i - 1][a][b]
        H[i - 1] = [add(H[i - 1][a], Hm[a]) for a in range(3)]
        p_n[i - 1] = add(p_n[i - 1], add(n_u, cross(r, f_u)))
        p_f[i - 1] = add(p_f[i - 1], f_u)
    # Outwards: accelerations.
    alpha, a, result = [zero] * 3, [SX(-x) for x in gravity], []
    for i, link in enumerate(links):
        axis, r = AXES[link["axis"]], [SX(x) for x in link["joint"]]
        a = add(turns[i].down(add(a, cross(alpha, r))), bias_v[i])
        alpha = add(turns[i].down(alpha), bias_w[i])
        (Ua, Ub), taken = U[i], rest[i]
        for k in range(3):
            taken = taken - Ua[k] * alpha[k] - Ub[k] * a[k]
        result.append(taken * D[i])
        alpha[axis] = alpha[axis] + result[-1]
    return result


def arithmetic(function, casadi):
    """How many + - * / the function has."""
    other = (casadi.OP_INPUT, casadi.OP_OUTPUT, casadi.OP_CONST, casadi.OP_SIN, casadi.OP_COS)
    return sum(function.instruction_id(k) not in other for k in range(function.n_instructions()))


def chain(words):
    return json.loads(subprocess.run([sys.executable, os.path.join(HERE, "..", "chains"), *words,
                                      "--json"], capture_output=True, text=True, check=True).stdout)


def write(words, path, keen=False):
    """The C of a chain; the number of its operations and of its links."""
    import casadi
    links = chain(words)
    n = len(links)
    gravity = [0, -9.81, 0] if words[0] in ("planar", "absolute") else [0, 0, -9.81]
    q, v = casadi.SX.sym("q", n), casadi.SX.sym("v", n)
    out = casadi.vertcat(*accelerations(links, gravity, casadi.vertsplit(q), casadi.vertsplit(v),
                                        keen, casadi))
    function = casadi.Function("aba", [q, v], [casadi.cse(out)])
    folder, name = os.path.split(os.path.abspath(path))
    before = os.getcwd()
    os.chdir(folder)
    function.generate(name, {"with_header": False})
    os.chdir(before)
    return arithmetic(function, casadi), n


if __name__ == "__main__":
    words = [w for w in sys.argv[1:] if w != "--keen"]
    if len(words) < 2:
        raise SystemExit("aba.py NAME [N] OUT.c [--keen]")
    try:
        print(write(words[:-1], words[-1], "--keen" in sys.argv)[0])
    except ImportError:
        raise SystemExit("casadi is missing: pip install casadi")
