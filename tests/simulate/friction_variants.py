"""Further problems of the kinds of reference_friction.py, with other numbers and shapes.

Each is (name, model, options, [(what, value), …]). What is asked: ("event", column, kind, number, name)
at a record, ("last", column) or ("first", column) of a row, ("lost",) of an impact or a percussion. The
values are closed forms, and integrations of the equations of each mode written by hand (DOP853 to
1e-13, ends of modes as roots of its dense output), trustworthy to 1e-11.
"""
VARIANTS = [
    ('belt',
     """param m = 2.3, k = 35, V = 0.8, g = 9.81
coord x
mass m at [x, 0, 0]
potential k*x^2/2
friction belt: 0.45*m*g static 0.7*m*g against x' - V
initial x' = V
run to 6 every 0.5
""",
     [],
     [(('event', 't', 'slip', 0, None), 0.564075),
      (('event', 't', 'stick', 0, None), 1.8332687795424532),
      (('event', 'x', 'stick', 0, None), 0.12893142857142859),
      (('event', 't', 'slip', 1, None), 2.2361794938281676)]),
    ('stribeck',
     """param m = 2.3, k = 35, V = 0.8, g = 9.81, c = 0.4
coord x
mass m at [x, 0, 0]
potential k*x^2/2
dissipation c*x'^2/2
friction belt: (0.3 + (0.55-0.3)*exp(-3.0*abs(slip.belt)))*m*g against x' - V
initial x' = V
run to 6 every 0.5
""",
     [],
     [(('event', 't', 'slip', 0, None), 0.43177321428571425),
      (('event', 't', 'stick', 0, None), 1.7064147988299128),
      (('event', 'x', 'stick', 0, None), -0.03559635935660317)]),
    ('skid hollow',
     """param m = 1.7, r = 0.2, I = 0.6666666666666666*m*r^2, g = 9.81
coord x, z, phi
frame F = world rotate phi about y
point G = [x, 0, z]; point K = G - r*world.z
body ball frame F mass m at G inertia [I, I, I]
gravity [0, 0, -g]
constraint lane: K.z >= 0 friction 0.27 at K on ball
initial x' = 1.5, phi' = -22.0, z = r
run to 1.8910031336127155 every 0.5
""",
     [],
     [(('event', 't', 'stick', 0, None), 0.8910031336127157),
      (('event', 'x', 'stick', 0, None), 0.2851210027560689),
      (('last', "x'"), -0.8600000000000003),
      (('last', "phi'"), -4.300000000000002)]),
    ('skid hoop',
     """param m = 1.7, r = 0.2, I = 1.0*m*r^2, g = 9.81
coord x, z, phi
frame F = world rotate phi about y
point G = [x, 0, z]; point K = G - r*world.z
body ball frame F mass m at G inertia [I, I, I]
gravity [0, 0, -g]
constraint lane: K.z >= 0 friction 0.27 at K on ball
initial x' = 1.5, phi' = -22.0, z = r
run to 2.1137539170158943 every 0.5
""",
     [],
     [(('event', 't', 'stick', 0, None), 1.1137539170158945),
      (('event', 'x', 'stick', 0, None), 0.02784384792539729),
      (('last', "x'"), -1.4500000000000002),
      (('last', "phi'"), -7.250000000000001)]),
    ('skid shell',
     """param m = 1.7, r = 0.2, I = 0.55*m*r^2, g = 9.81
coord x, z, phi
frame F = world rotate phi about y
point G = [x, 0, z]; point K = G - r*world.z
body ball frame F mass m at G inertia [I, I, I]
gravity [0, 0, -g]
constraint lane: K.z >= 0 friction 0.27 at K on ball
initial x' = 1.5, phi' = -22.0, z = r
run to 1.7904060056241833 every 0.5
""",
     [],
     [(('event', 't', 'stick', 0, None), 0.7904060056241832),
      (('event', 'x', 'stick', 0, None), 0.3582323993232184),
      (('last', "x'"), -0.5935483870967744),
      (('last', "phi'"), -2.967741935483872)]),
    ('skid slope space',
     """param m = 1, r = 0.15, I = 0.6666666666666666*m*r^2, g = 9.81, al = 0.25
coord x, y, z, e0, e1, e2, e3
frame S = world rotate al about y
frame F = S quaternion (e0, e1, e2, e3)
point G = [x, y, z] in S; point K = G - r*S.z
body ball frame F mass m at G inertia [I, I, I]
gravity [0, 0, -g]
constraint lane: z >= r friction 0.35 at K on ball
initial x' = -1.0, y' = 2.0, z = r, e1' = 5.0, e2' = -4.0
run to 3 every 0.5
""",
     [],
     [(('event', 't', 'stick', 0, None), 0.4684240905993165),
      (('event', 'x', 'stick', 0, None), -0.2804151540359136),
      (('event', 'y', 'stick', 0, None), 0.5850437999374638)]),
    ('hoop slope',
     """param m = 3, r = 0.4, J = m*r^2, g = 9.81, alpha = 0.35
coord s, n, phi
frame S = world rotate -alpha about y
frame F = S rotate phi about y
point G = [s, 0, n] in S
point K = G - r*S.z
body wheel frame F mass m at G inertia [J/2, J, J/2]
gravity [0, 0, -g]
constraint slope: n >= r friction 0.6 at K on wheel
event top: s' = 0 falling { record }
initial n = r, phi' = 55.0
run to 8 every 0.5
""",
     [],
     [(('event', 't', 'stick', 0, None), 2.8591969917080617),
      (('event', 's', 'stick', 0, None), 8.850754764854818),
      (('event', "s'", 'stick', 0, None), 6.191077278356709),
      (('event', 't', 'event', 0, 'top'), 6.54016891709195),
      (('event', 's', 'event', 0, 'top'), 20.24534558961139)]),
    ('hoop reverse',
     """param m = 3, r = 0.4, J = m*r^2, g = 9.81, alpha = 0.5
coord s, n, phi
frame S = world rotate -alpha about y
frame F = S rotate phi about y
point G = [s, 0, n] in S
point K = G - r*S.z
body wheel frame F mass m at G inertia [J/2, J, J/2]
gravity [0, 0, -g]
constraint slope: n >= r friction 0.15 at K on wheel
initial n = r, phi' = -20.0
run to 2.0980127321906963 every 0.5
""",
     [],
     [(('event', 't', 'reverse', 0, None), 1.0980127321906965),
      (('last', "s'"), -9.993869063684677),
      (('last', "phi'"), -19.683575024052033)]),
    ('belt, as a contact',
     """param m = 2.3, k = 35, V = 0.8, g = 9.81
coord x, z
point P = [x, 0, z]
mass m at P
body belt frame world mass 1 at [V*t, 0, 0]
gravity [0, 0, -g]
potential k*x^2/2
constraint c: z >= 0 friction 0.45 static 0.7 at P on P and belt
initial x' = V
run to 6 every 0.5
""",
     [],
     [(('event', 't', 'slip', 0, None), 0.564075),
      (('event', 't', 'stick', 0, None), 1.8332687795424532),
      (('event', 'x', 'stick', 0, None), 0.12893142857142859),
      (('event', 't', 'slip', 1, None), 2.2361794938281676)]),
    ('box on belt',
     """coord x, z
point P = [x, 0, z]
mass 1 at P
body belt frame world mass 1 at [6.0*t, 0, 0]
gravity [0, 0, -9.81]
constraint c: z >= 0 restitution 0.3 friction 0.4 at P on P and belt
initial z = 0.5
run to 3 every 0.5
""",
     [],
     [(('event', 't', 'impact', 0, None), 0.3192754284070505),
      (('event', "x'", 'impact', 0, None), 1.6286878153900461),
      (('last', "x'"), 6.0)]),
    ('ladder a',
     """param m = 5, l = 3, g = 9.81, J = 3.75, start = 1.1, d = 0.5
coord x, z, theta
frame B = world rotate -theta about y
point G = [x, 0, z]
point A = G - d*l*B.x
point C = G + (1-d)*l*B.x
body ladder frame B mass m at G inertia [0, J, J]
gravity [0, 0, -g]
constraint side: C.x <= 0 friction 0.5 at C on ladder
constraint ground: A.z >= 0 friction 0.1 at A on ladder
initial theta = start, x = -(1-d)*l*cos(start), z = d*l*sin(start)
run to 0.9216920123294197 every 0.05
""",
     [],
     [(('first', 'lambda.ground'), 40.17631812556386),
      (('first', 'lambda.side'), 10.821480152768688),
      (('event', 't', 'release', 0, 'side'), 0.9116920123294197),
      (('event', 'theta', 'release', 0, 'side'), 0.5378717609673108),
      (('event', "theta'", 'release', 0, 'side'), -1.6222997746687597)]),
    ('ladder b',
     """param m = 5, l = 3, g = 9.81, J = 3.75, start = 0.8, d = 0.7
coord x, z, theta
frame B = world rotate -theta about y
point G = [x, 0, z]
point A = G - d*l*B.x
point C = G + (1-d)*l*B.x
body ladder frame B mass m at G inertia [0, J, J]
gravity [0, 0, -g]
constraint side: C.x <= 0 friction 0.0 at C on ladder
constraint ground: A.z >= 0 friction 0.25 at A on ladder
initial theta = start, x = -(1-d)*l*cos(start), z = d*l*sin(start)
run to 0.43261692672544116 every 0.05
""",
     [],
     [(('first', 'lambda.ground'), 22.708937873157588),
      (('first', 'lambda.side'), 17.300851553770553),
      (('event', 't', 'release', 0, 'side'), 0.42261692672544116),
      (('event', 'theta', 'release', 0, 'side'), 0.4816784931918968),
      (('event', "theta'", 'release', 0, 'side'), -1.4843217219750826)]),
    ('ladder c',
     """param m = 1.3, l = 0.7, g = 9.81, J = 0.05308333333333332, start = 0.6, d = 0.35
coord x, z, theta
frame B = world rotate -theta about y
point G = [x, 0, z]
point A = G - d*l*B.x
point C = G + (1-d)*l*B.x
body ladder frame B mass m at G inertia [0, J, J]
gravity [0, 0, -g]
constraint side: C.x <= 0 friction 0.15 at C on ladder
constraint ground: A.z >= 0 friction 0.3 at A on ladder
initial theta = start, x = -(1-d)*l*cos(start), z = d*l*sin(start)
run to 0.3381630033096799 every 0.05
""",
     [],
     [(('first', 'lambda.ground'), 10.831158954485925),
      (('first', 'lambda.side'), 4.780122773326611),
      (('event', 't', 'release', 0, 'side'), 0.3281630033096799),
      (('event', 'theta', 'release', 0, 'side'), 0.2548052120771325),
      (('event', "theta'", 'release', 0, 'side'), -2.9143624155426333)]),
    ('brake rolls',
     """param m = 30.0, r = 0.3, J = 1.2, g = 9.81
coord x, z, phi
frame F = world rotate phi about y
point G = [x, 0, z]; point K = G - r*world.z
body wheel frame F mass m at G inertia [J, J, J]
gravity [0, 0, -g]
constraint road: K.z >= 0 friction 0.7 at K on wheel
friction brake: 20.0 along phi
initial x' = 9.0, phi' = 9.0/r, z = r
run to 6.849999999999999 every 0.5
""",
     [],
     [(('last', 'x'), 26.324999999999996),
      (('last', "x'"), 0.0)]),
    ('brake locks',
     """param m = 30.0, r = 0.3, J = 1.2, g = 9.81
coord x, z, phi
frame F = world rotate phi about y
point G = [x, 0, z]; point K = G - r*world.z
body wheel frame F mass m at G inertia [J, J, J]
gravity [0, 0, -g]
constraint road: K.z >= 0 friction 0.7 at K on wheel
friction brake: 90.0 along phi
initial x' = 9.0, phi' = 9.0/r, z = r
run to 2.310615989515072 every 0.5
""",
     [],
     [(('event', 't', 'stick', 0, 'brake'), 1.2767315671879989),
      (('event', 't', 'stick', 0, 'road'), 1.3106159895150722),
      (('last', 'x'), 5.897771952817825)]),
    ('without collision, 0.33 2.0 1.0 0.0 -1',
     """param m = 1, l = 1, mu = 2.0, J = 0.3333333333333333*m*l^2, g = 9.81, start = 1.0
coord x, z, theta
frame B = world rotate -theta about y
point G = [x, 0, z]
point C = G - l*B.x
body rod frame B mass m at G inertia [0, J, J]
gravity [0, 0, -g]
constraint floor: C.z >= 0 restitution 0.5 friction mu at C on rod
initial theta = start, theta' = 0.0, z = l*sin(start), x' = -1 - sin(start)*0.0, z' = cos(start)*0.0
run to 1e-6 every 1e-6
""",
     ['--paradox', 'impact'],
     [(('lost',), 0.21586433433985297)]),
    ('without collision, 0.33 1.4 1.1 0.0 -1',
     """param m = 1, l = 1, mu = 1.4, J = 0.3333333333333333*m*l^2, g = 9.81, start = 1.1
coord x, z, theta
frame B = world rotate -theta about y
point G = [x, 0, z]
point C = G - l*B.x
body rod frame B mass m at G inertia [0, J, J]
gravity [0, 0, -g]
constraint floor: C.z >= 0 restitution 0.5 friction mu at C on rod
initial theta = start, theta' = 0.0, z = l*sin(start), x' = -1 - sin(start)*0.0, z' = cos(start)*0.0
run to 1e-6 every 1e-6
""",
     ['--paradox', 'impact'],
     [(('lost',), 0.188569195953181)]),
    ('without collision, 0.20 1.2 1.15 0.0 -1',
     """param m = 1, l = 1, mu = 1.2, J = 0.2*m*l^2, g = 9.81, start = 1.15
coord x, z, theta
frame B = world rotate -theta about y
point G = [x, 0, z]
point C = G - l*B.x
body rod frame B mass m at G inertia [0, J, J]
gravity [0, 0, -g]
constraint floor: C.z >= 0 restitution 0.5 friction mu at C on rod
initial theta = start, theta' = 0.0, z = l*sin(start), x' = -1 - sin(start)*0.0, z' = cos(start)*0.0
run to 1e-6 every 1e-6
""",
     ['--paradox', 'impact'],
     [(('lost',), 0.1388424940386751)]),
    ('rod, 0.33 1.5 0.4 0.0 -1',
     """param m = 1, l = 1, mu = 1.5, J = 0.3333333333333333*m*l^2, g = 9.81, start = 0.4
coord x, z, theta
frame B = world rotate -theta about y
point G = [x, 0, z]
point C = G - l*B.x
body rod frame B mass m at G inertia [0, J, J]
gravity [0, 0, -g]
constraint floor: C.z >= 0 friction mu at C on rod
initial theta = start, theta' = 0.0, z = l*sin(start), x' = -1 - sin(start)*0.0, z' = cos(start)*0.0
run to 1e-6 every 1e-6
""",
     [],
     [(('first', 'lambda.floor'), 5.080245982173416)]),
    ('rod, 0.33 2.5 0.7 0 1',
     """param m = 1, l = 1, mu = 2.5, J = 0.3333333333333333*m*l^2, g = 9.81, start = 0.7
coord x, z, theta
frame B = world rotate -theta about y
point G = [x, 0, z]
point C = G - l*B.x
body rod frame B mass m at G inertia [0, J, J]
gravity [0, 0, -g]
constraint floor: C.z >= 0 friction mu at C on rod
initial theta = start, theta' = 0, z = l*sin(start), x' = 1 - sin(start)*0, z' = cos(start)*0
run to 1e-6 every 1e-6
""",
     [],
     [(('first', 'lambda.floor'), 1.5208389346381734)]),
    ('falling rod low',
     """param g = 9.81, J = 1/3
coord x, z, th
frame B = world rotate th about y
point G = [x, 0, z]; point C = G - B.z
body rod frame B mass 1 at G inertia [J, J, 0]
gravity [0, 0, -g]
constraint floor: C.z >= 0 friction 0.2 at C on rod
initial th = 0.1, x = sin(0.1), z = cos(0.1)
run to 1.1 every 0.05
""",
     [],
     [(('event', 't', 'slip', 0, None), 0.6092583054502622),
      (('event', 'th', 'slip', 0, None), 0.26998908761647383),
      (('last', 'th'), 1.0777881088581063),
      (('last', 'x'), 0.7432442746698628)]),
    ('falling rod high',
     """param g = 9.81, J = 1/3
coord x, z, th
frame B = world rotate th about y
point G = [x, 0, z]; point C = G - B.z
body rod frame B mass 1 at G inertia [J, J, 0]
gravity [0, 0, -g]
constraint floor: C.z >= 0 friction 0.6 at C on rod
initial th = 0.1, x = sin(0.1), z = cos(0.1)
run to 1.25 every 0.05
""",
     [],
     [(('event', 't', 'slip', 0, None), 1.0798169684858616),
      (('event', 'th', 'slip', 0, None), 0.9200003081657997),
      (('last', 'th'), 1.4072888172276736),
      (('last', 'x'), 1.028506267407641)]),
    ('ball on sphere',
     """param R = 1.0, r = 0.2, I = 0.4*r^2, g = 9.81
coord rho, th, phi
point G = rho*[sin(th), 0, cos(th)]
point K = G - r*[sin(th), 0, cos(th)]
frame F = world rotate phi about y
body ball frame F mass 1 at G inertia [I, I, I]
gravity [0, 0, -g]
constraint dome: rho >= R + r friction 0.3 at K on ball
initial rho = R + r, th = 0.2
run to 0.9414626428462551 every 0.1
""",
     [],
     [(('event', 't', 'slip', 0, None), 0.7563613096622743),
      (('event', 'th', 'slip', 0, None), 0.6305303596435828),
      (('event', 't', 'release', 0, None), 0.9214626428462551),
      (('event', 'th', 'release', 0, None), 0.9239244819314383),
      (('last', "phi'"), 10.487268174319627)]),
    ('wedge',
     """param al = 0.6, g = 9.81
coord X, Z, s, n
point W = [X, 0, Z]
frame S = world rotate al about y
point P = W + [s, 0, n] in S
body wedge frame world mass 3.0 at W
mass 1.0 at P
gravity [0, 0, -g]
constraint floor: Z >= 0 friction 0.05 at W on wedge
constraint slope: n >= 0 friction 0.2 at P on P and wedge
run to 0.7 every 0.1
""",
     [],
     [(('last', 'X'), -0.10597943502744885),
      (('last', 's'), 1.0597960761911056),
      (('first', 'lambda.slope'), 7.852295482986773),
      (('first', 'lambda.floor'), 36.79752702957184)]),
    ('turntable a',
     """param g = 9.81, mu = 0.45
coord x, y, z
point P = [x, y, z]
frame T = world rotate 3.5*t about z
body table frame T
mass 1 at P
gravity [0, 0, -g]
constraint top: z >= 0 friction mu at P on P and table
initial x = 0.25, y = 0.0, x' = 0, y' = 0
run to 3 every 0.1
""",
     [],
     [(('event', 't', 'stick', 0, None), 0.25891402947993025),
      (('event', 'x', 'stick', 0, None), 0.22003675669007125),
      (('event', 'y', 'stick', 0, None), 0.13424692519038456)]),
    ('turntable b',
     """param g = 9.81, mu = 0.5
coord x, y, z
point P = [x, y, z]
frame T = world rotate 2.0*t about z
body table frame T
mass 1 at P
gravity [0, 0, -g]
constraint top: z >= 0 friction mu at P on P and table
initial x = 0.2, y = -0.3, x' = 1.0, y' = 0.5
run to 3 every 0.1
""",
     [],
     [(('event', 't', 'stick', 0, None), 0.10689099307867107),
      (('event', 'x', 'stick', 0, None), 0.2793107048022377),
      (('event', 'y', 'stick', 0, None), -0.24719536444445034)]),
    ('turntable c flies',
     """param g = 9.81, mu = 0.3
coord x, y, z
point P = [x, y, z]
frame T = world rotate 4.0*t about z
body table frame T
mass 1 at P
gravity [0, 0, -g]
constraint top: z >= 0 friction mu at P on P and table
initial x = 0.6, y = 0, x' = 0, y' = 0
run to 1.0 every 0.1
""",
     [],
     [(('last', 'x'), 0.01121024834453617),
      (('last', 'y'), 1.1102302391201195)]),
    ('nonlinear speed 2',
     """coord x, y
mass 1 at [x, y, 0]
constraint c: x'^2 + y'^2 = 3.74055484814419
force 0.9904821883628939*sin(0.901846394190706*t) along x
force 0.33549887812944956 along y
friction f: 0.7686964922356097 along x
initial x' = 1.0293550746494335, y' = 1.6373707516740514
run to 6.0 every 1
""",
     [],
     [(('last', "x'"), -0.19362484019753443),
      (('last', "y'"), 1.9243347602230412)]),
    ('odometer',
     """param m = 1.3, J = 0.7, g = 9.81
coord x, y, z, th
point P = [x, y, z]
mass m at P
kinetic J/2*th'^2
gravity [0, 0, -g]
constraint c: th'^2 = x'^2 + y'^2
constraint floor: z >= 0 friction 0.25 at P on P
force 1.1 along x
initial x' = 2, y' = 1.5, th' = 2.5
run to 1 every 0.5
""",
     [],
     [(('last', 'x'), 1.6494865190528518),
      (('last', 'y'), 1.001805981853202),
      (('last', "x'"), 1.259023290043622),
      (('last', "y'"), 0.5602398043623522)]),
    ('second class 0',
     """coord x, y
mass 1 at [x, y, 0]
potential 2.574632259147479*x^2/2 + 0.25*y^2
constraint c: x'' + 1.766632777287572*y'' + -0.2757093730915335*x' = 1.9481973295428758*sin(1.383113235875375*t)
friction f: 0.8427640322495922 along x
initial x = 0.2, x' = 0.97745999644412
run to 6 every 1
""",
     [],
     [(('last', 'x'), 0.6351897006543111),
      (('last', 'y'), 7.694857365468951)]),
    ('impact poisson 0',
     """param m = 1, l = 1, mu = 0.4074858437062182, J = 0.4273863208820907*m*l^2, g = 9.81, start = 1.2133062218300577
coord x, z, theta
frame B = world rotate -theta about y
point G = [x, 0, z]
point C = G - l*B.x
body rod frame B mass m at G inertia [0, J, J]
gravity [0, 0, -g]
constraint floor: C.z >= 0 law poisson restitution 0.25891675029296335 friction mu at C on rod
initial theta = start, theta' = 0, z = l*sin(start), x' = 0.04509888547443408, z' = -0.9883880336657043
run to 1e-7 every 1e-7
""",
     [],
     [(('lost',), 0.40745506966865297)]),
    ('impact newton 1',
     """param m = 1, l = 1, mu = 0.6992084261301219, J = 0.4542301210811698*m*l^2, g = 9.81, start = 0.3612370929348815
coord x, z, theta
frame B = world rotate -theta about y
point G = [x, 0, z]
point C = G - l*B.x
body rod frame B mass m at G inertia [0, J, J]
gravity [0, 0, -g]
constraint floor: C.z >= 0 law newton restitution 0.2550690257394217 friction mu at C on rod
initial theta = start, theta' = 0, z = l*sin(start), x' = -0.018259651632236196, z' = -1.0641348101408548
run to 1e-7 every 1e-7
""",
     [],
     [(('lost',), 0.21538448867678794)]),
    ('impact poisson 3',
     """param m = 1, l = 1, mu = 0.36446189156586734, J = 0.36326876758878557*m*l^2, g = 9.81, start = 0.48555755251026966
coord x, z, theta
frame B = world rotate -theta about y
point G = [x, 0, z]
point C = G - l*B.x
body rod frame B mass m at G inertia [0, J, J]
gravity [0, 0, -g]
constraint floor: C.z >= 0 law poisson restitution 0.6039200385961945 friction mu at C on rod
initial theta = start, theta' = 0, z = l*sin(start), x' = 0.5028812164322161, z' = -0.4113990607076823
run to 1e-7 every 1e-7
""",
     [],
     [(('lost',), 0.038252824109324235)]),
    ('impact newton 6',
     """param m = 1, l = 1, mu = 0.4622794337413035, J = 0.44658621269591803*m*l^2, g = 9.81, start = 1.1520081005139955
coord x, z, theta
frame B = world rotate -theta about y
point G = [x, 0, z]
point C = G - l*B.x
body rod frame B mass m at G inertia [0, J, J]
gravity [0, 0, -g]
constraint floor: C.z >= 0 law newton restitution 0.2616214829446579 friction mu at C on rod
initial theta = start, theta' = 0, z = l*sin(start), x' = -1.998193140459716, z' = -1.426791556902405
run to 1e-7 every 1e-7
""",
     [],
     [(('lost',), 2.267732541437284)]),
    ('impact poisson 7',
     """param m = 1, l = 1, mu = 0.6032943020838757, J = 0.2452547521773506*m*l^2, g = 9.81, start = 0.5885993177997948
coord x, z, theta
frame B = world rotate -theta about y
point G = [x, 0, z]
point C = G - l*B.x
body rod frame B mass m at G inertia [0, J, J]
gravity [0, 0, -g]
constraint floor: C.z >= 0 law poisson restitution 0.07243628666754276 friction mu at C on rod
initial theta = start, theta' = 0, z = l*sin(start), x' = 0.1435280172267568, z' = -0.9216711587513955
run to 1e-7 every 1e-7
""",
     [],
     [(('lost',), 0.14172965939246635)]),
    ('rocking',
     """param m = 3, b = 0.15, h = 0.6, g = 9.81, mu = 1.2, start = 0.12, J = m*(b^2 + h^2)/3
coord x, z, theta
frame B = world rotate theta about y
point G = [x, 0, z]
point L = G + [-b, 0, -h] in B
point R = G + [b, 0, -h] in B
body block frame B mass m at G inertia [J, J, J]
gravity [0, 0, -g]
constraint left: L.z >= 0 restitution 0 friction mu at L on block
constraint right: R.z >= 0 restitution 0 friction mu at R on block
initial theta = start, x = h*sin(start) + b*(1 - cos(start)), z = b*sin(start) + h*cos(start)
run to 12 every 1
""",
     [],
     [(('event', 't', 'impact', 0, 'left'), 0.37574575107865554),
      (('event', "theta'", 'impact', 0, 'left'), -0.6605206711535588),
      (('last', "theta'"), 0.0),
      (('last', 'x'), 0.0)]),
    ('capstan',
     """coord a, b
mass 1.0 at [0, 0, -a]
mass 8.0 at [1, 0, -b]
gravity [0, 0, -9.81]
constraint rope: a + b = 3
force (exp(0.35*4.71238898038469) - 1)*lambda.rope along b
initial a = 2, b = 1
run to 0.5 every 0.5
""",
     [],
     [(('last', 'b'), 1.2597168961490313)]),
    ('pin',
     """param k = 0.08, l = 0.7
coord x, z, th
mass 1 at [x + l*sin(th), 0, z - l*cos(th)]
gravity [0, 0, -9.81]
constraint px: x = 0
constraint pz: z = 0
friction pin: k*sqrt(lambda.px^2 + lambda.pz^2) along th
initial th = 1.1
run to 1.840631293730392 every 0.5
""",
     [],
     [(('event', 't', 'reverse', 0, None), 0.8847373720067799),
      (('event', 'th', 'reverse', 0, None), -0.7345078376070904),
      (('event', 't', 'reverse', 1, None), 1.7406312937303918),
      (('event', 'th', 'reverse', 1, None), 0.4503710029884697)]),
    ('three cars',
     """param m1 = 1.2, m2 = 0.7, m3 = 2.0, k1 = 30.0, k2 = 45.0
coord x1, x2, x3
mass m1 at [x1,0,0]
mass m2 at [x2,0,0]
mass m3 at [x3,0,0]
potential k1/2*(x2-x1-1)^2 + k2/2*(x3-x2-1)^2
servo lead: x3 = 2 + t^7 by x1
run to 0.8 every 0.8
""",
     [],
     [(('last', 'x1'), 2.5060238222222226),
      (('last', 'lambda.lead'), 141.4580906666667)]),
    ('nonlinear junction',
     """coord x, u
mass 1 at [x, 0, 0]
potential 6.0*(x-u)^4/4 + 1.2000000000000002*(x-u)^2/2 + 3.0*u^2/2 + 0.5*u^4
initial x = 1.3
run to 3 every 3
""",
     [],
     [(('last', 'x'), -0.9174251879433584),
      (('last', 'u'), -0.4125421722477791)]),
    ('nonlinear damper',
     """coord x, u
mass 1 at [x, 0, 0]
potential 5*(x-u)^2/2
force -0.7*u' - 0.9*u'^3 along u
initial x = 1, u = 0.2
run to 2 every 2
""",
     [],
     [(('last', 'x'), -0.1166975719401616),
      (('last', 'u'), -0.07821087705799332)]),
]
