// commands.c: the list of commands.
#include "cli/commands_impl.h"

#include <string.h>

const CliCommand cli_commands[] = {
    {"derive", cli_derive,
     "zwang derive MODEL [--form F[,F…]|all] [--steps] [--naive] [--reactions] "
     "[--expand] [--acting NAME[,…]|all|none] [--as text|latex|json]",
     "prints the equations of motion in the forms asked for",
     "zwang derive models/blade.zw --form multipliers,appell"},
    {"check", cli_check,
     "zwang check MODEL [--only forms,kind,integrals,jacobi] [--equation \"a = b\"] "
     "[--equations FILE] [--as text|json]",
     "says what kind of system it is, what stays constant, whether Jacobi's theorem extends, and "
     "proves that all forms give the same motion; or whether published equations follow from it",
     "zwang check models/cart.zw"},
    {"run", cli_run,
     "zwang run MODEL [--to T] [--every DT] [--tolerance E] [--method M] [--step H] "
     "[--form F] [--engine E] [--fixed] [--out FILE|-] [--rows float32] [--digits D] [--events "
     "FILE|-] [--plot "
     "[NAMES:]FILE.svg "
     "[--plot-size WxHmm] …] [--picture [T,…:]FILE.svg] "
     "[--residuals] [--integrals] [--branch N|T:N[,…]] "
     "[--sensitivity NAME,…] [--until REL] [--paradox stop|impact] [--no-watch] [--audit] "
     "[--quiet]",
     "integrates the motion, writes it as rows of numbers and draws it",
     "zwang run models/blade.zw --to 5 --out blade.csv --plot x,y:track.svg"},
    {"sweep", cli_sweep,
     "zwang sweep MODEL --vary AXIS [--vary AXIS …] [--zip] [--samples N] [--seed N] "
     "[--keep WHAT,…] [--out FILE.csv|FILE.h5|-] [--plot [NAMES:]FILE] [--resume] [--threads N] "
     "[--limit-each S] "
     "[--allow-failures] [--set a=b] [--to T] [--tolerance E] [--method M] [--until REL] [--quiet]",
     "makes many runs over ranges, lists, random draws or a table of parameters and starts, and "
     "keeps of each what is asked for",
     "zwang sweep models/hoop.zw --vary psi=0.1:0.5:5 --out hoop.csv"},
    {"fit", cli_fit,
     "zwang fit MODEL DATA.csv [DATA.csv …] --vary NAME[=LOW:HIGH],… [--initial NAME,…] "
     "[--use NAME[=EXPR],…] [--sigma NAME=S,…] [--loss huber] [--out FILE.csv] [--as text|json]",
     "finds parameters and start values by least squares of runs to data, with their confidence, "
     "and says what the data cannot tell apart",
     "zwang run models/top.zw --out -|zwang fit models/top.zw - --vary g --use psi"},
    {"at", cli_at, "zwang at MODEL [--steps] [--branch N] [--digits D] [--as text|json]",
     "gives accelerations, multipliers, reactions and energies at the start, which one-sided "
     "conditions act, and all stationary points of conditions on accelerations",
     "zwang at models/hoop.zw --set psi=0.3"},
    {"stability", cli_stability,
     "zwang stability MODEL [--at a=b,…] [--vary p=a:b:n] [--inputs p,…] [--digits D] [--slow] "
     "[--root-locus] "
     "[--as text|json|csv] [--plot F.svg [--plot-size WxHmm] …]",
     "linearizes about an equilibrium or a steady motion, gives the eigenvalues, and over a range "
     "of a parameter finds the critical values",
     "zwang stability models/blade.zw --at v=1,w=0 --vary s=-0.5:0.5:100"},
    {"export", cli_export,
     "zwang export MODEL --to c|python|julia|matlab|fmu|latex [--fixed] [--velocities] [--smooth] "
     "[--form F[,F…]] [--out FILE]",
     "writes the motion as source code, or its derivation as a document, that stands alone",
     "zwang export models/hoop.zw --to c --out hoop.c"},
    {"view", cli_view,
     "zwang view MODEL [--out FILE.html] [--to T] [--every DT] [--tolerance E] [--method M] "
     "[--forms F,…|all] [--proofs]",
     "writes one HTML page: the system moving in three dimensions, plots, equations",
     "zwang view models/hoop.zw --out hoop.html"},
    {"gallery", cli_gallery, "zwang gallery [NAME] [--html DIR] [--picture FILE.svg]",
     "lists the models that come with the program, prints one, or writes a site of all",
     "zwang gallery hoop > hoop.zw"},
};
const int cli_command_count = sizeof cli_commands / sizeof *cli_commands;

const CliCommand *cli_command_find(const char *name)
{
    for (int i = 0; i < cli_command_count; i++)
        if (strcmp(cli_commands[i].name, name) == 0)
            return &cli_commands[i];
    return NULL;
}
