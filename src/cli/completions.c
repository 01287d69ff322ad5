// completions.c: what shells complete, from the tables of commands and options: `zwang --completion
// bash`, `zsh` or `fish` prints a script for that shell.
#include "cli/cli.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *word, *value, *commands, *help;
} options[] = {
#define OPTION(NAME, word, value, commands, help) {word, value, commands, help},
#include "cli/options.def"
#undef OPTION
};
enum { OPTIONS = sizeof options / sizeof *options };

// Words of options whose help has them; those of --to are targets, of `export` alone.
static const struct {
    const char *option, *words;
} further[] = {
    {"--method", "auto|taylor|erk|adams|bdf|timestepping"},
    {"--engine", "auto|native|interpret"},
    {"--form", "multipliers|korteweg|maggi|lagrange|appell|kane|tzenoff|voronets|hamel|johnsen1|"
               "johnsen2|gauss|canonical|action"},
};
static const char targets[] = "c python julia matlab fmu latex";

// The words of which an option takes one, "auto|always|never"; NULL: it takes something else.
static const char *words_of(size_t option)
{
    const char *value = options[option].value;
    bool several = false;
    for (size_t i = 0; i < sizeof further / sizeof *further; i++)
        if (strcmp(further[i].option, options[option].word) == 0)
            return further[i].words;
    for (const char *at = value; at && *at; at++) {
        if (!islower((unsigned char)*at) && *at != '|')
            return NULL;
        several = several || *at == '|';
    }
    return several ? value : NULL;
}

static void print_words(size_t option)
{
    for (const char *at = words_of(option); *at; at++)
        putchar(*at == '|' ? ' ' : *at);
}

// The options of a command, separated by blanks.
static void print_options(const char *command)
{
    for (size_t i = 0; i < OPTIONS; i++)
        if (cli_takes(options[i].commands, command))
            printf("%s ", options[i].word);
    printf("--help");
}

// Single quotes for a shell; fish escapes within them.
static void print_quoted(const char *text, bool fish)
{
    putchar('\'');
    for (; *text; text++)
        if (*text == '\'')
            printf("%s", fish ? "\\'" : "'\\''");
        else
            putchar(*text);
    putchar('\'');
}

// ---- Units, behind a number and a blank: "2 min", "v=30 km/h".

// Options that take times, and those that take values of any kind.
static const char *const timed[] = {"--to", "--every", "--step", NULL};
static const char *const valued[] = {"--set", "--at", "--vary", NULL};
static const char of_time[] = "s min h ms us";
static const char composed[] = "mm cm km m/s km/h m/s^2 rad/s deg/s N/m N*s/m N*m kN kg*m^2";

static bool is_among(const char *word, const char *const *words)
{
    while (*words && strcmp(*words, word) != 0)
        words++;
    return *words != NULL;
}

static void print_units(bool times)
{
    if (times) {
        printf("%s", of_time);
        return;
    }
    for (size_t i = 0; zw_unit(i); i++)
        printf("%s ", zw_unit(i));
    printf("%s", composed);
}

// As bash and zsh have it.
static void print_unit_cases(const char *before)
{
    printf("    local -a units=()\n    case %s in\n    %s|%s|%s) units=(", before, timed[0],
           timed[1], timed[2]);
    print_units(true);
    printf(") ;;\n    %s|%s|%s) units=(", valued[0], valued[1], valued[2]);
    print_units(false);
    printf(") ;;\n    esac\n");
}

// case PATTERN) VARIABLE=(words) ;; for options with words and for commands, as bash and zsh have
// it.
static void print_cases(const char *before, const char *command)
{
    printf("    case %s in\n", before);
    for (size_t i = 0; i < OPTIONS; i++)
        if (words_of(i)) {
            printf("    %s) known=(", options[i].word);
            print_words(i);
            printf(") ;;\n");
        }
    printf("    esac\n    [[ %s == export && %s == --to ]] && known=(%s)\n"
           "    if [[ ${#known[@]} -eq 0 && $current == -* ]]; then\n        case %s in\n",
           command, before, targets, command);
    for (int i = 0; i < cli_command_count; i++) {
        printf("        %s) known=(", cli_commands[i].name);
        print_options(cli_commands[i].name);
        printf(") ;;\n");
    }
    printf("        *) known=(--help --version --completion) ;;\n        esac\n    fi\n");
}

static void print_commands(void)
{
    for (int i = 0; i < cli_command_count; i++)
        printf("%s%s", i ? " " : "", cli_commands[i].name);
}

static void print_bash(void)
{
    printf("# bash completion for zwang\n_zwang()\n{\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} known=()\n");
    print_unit_cases("${COMP_WORDS[COMP_CWORD - 1]}");
    printf("    local word=${current#[\\\"\\']}\n"
           "    if [[ ${#units[@]} -gt 0 && $word == *[0-9.]\\ * ]]; then\n"
           "        local IFS=$'\\n'\n"
           "        COMPREPLY=($(compgen -P \"${word%% *} \" -W \"${units[*]}\" -- "
           "\"${word##* }\"))\n"
           "        return\n    fi\n");
    print_cases("${COMP_WORDS[COMP_CWORD - 1]}", "${COMP_WORDS[1]}");
    printf("    if [[ $COMP_CWORD -eq 1 && $current != -* ]]; then\n        known=(");
    print_commands();
    printf(")\n    fi\n"
           "    COMPREPLY=($(compgen -W \"${known[*]}\" -- \"$current\"))\n"
           "    [[ ${#known[@]} -gt 0 ]] || compopt -o default\n"
           "}\ncomplete -F _zwang zwang\n");
}

static void print_zsh(void)
{
    printf("#compdef zwang\n_zwang()\n{\n"
           "    local current=${words[CURRENT]}\n    local -a known\n");
    print_unit_cases("${words[CURRENT-1]}");
    printf("    if [[ ${#units[@]} -gt 0 && ${(Q)current} == *[0-9.]\\ * ]]; then\n"
           "        compset -P '* '\n        compadd -- $units\n        return\n    fi\n");
    print_cases("${words[CURRENT-1]}", "${words[2]}");
    printf("    if [[ $CURRENT -eq 2 && $current != -* ]]; then\n        known=(");
    print_commands();
    printf(")\n    fi\n"
           "    if [[ ${#known[@]} -gt 0 ]]; then\n        compadd -- $known\n"
           "    else\n        _files\n    fi\n}\n_zwang \"$@\"\n");
}

static void print_fish_option(size_t option)
{
    printf("complete -c zwang -n '%s", strcmp(options[option].commands, "*") == 0
                                           ? "not __fish_use_subcommand"
                                           : "__fish_seen_subcommand_from ");
    printf("%s' -l %s", strcmp(options[option].commands, "*") == 0 ? "" : options[option].commands,
           options[option].word + strlen("--"));
    if (words_of(option)) {
        printf(" -x -a '");
        print_words(option);
        printf("'");
    } else if (options[option].value) {
        printf(" -r");
        bool times = is_among(options[option].word, timed);
        if (times || is_among(options[option].word, valued)) {
            printf(" -a '(__zwang_units ");
            print_units(times);
            printf(")'");
        }
    }
    printf(" -d ");
    print_quoted(options[option].help, true);
    printf("\n");
}

static void print_fish(void)
{
    printf("# fish completion for zwang\n"
           "function __zwang_units\n"
           "    set -l word (commandline -ct | string trim -l -c '\"\\'')\n"
           "    if string match -qr '[0-9.] [^ ]*$' -- $word\n"
           "        set -l before (string replace -r '[^ ]*$' '' -- $word)\n"
           "        for unit in $argv\n            echo \"$before$unit\"\n        end\n"
           "    end\nend\n");
    for (int i = 0; i < cli_command_count; i++) {
        printf("complete -c zwang -n __fish_use_subcommand -f -a %s -d ", cli_commands[i].name);
        print_quoted(cli_commands[i].summary, true);
        printf("\n");
    }
    for (size_t i = 0; i < OPTIONS; i++)
        print_fish_option(i);
    printf("complete -c zwang -n '__fish_seen_subcommand_from export' -l to -x -a '%s'\n", targets);
}

int cli_completion(const char *shell)
{
    static const struct {
        const char *shell;
        void (*print)(void);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; shell && i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shells[i].shell, shell) == 0)
            return shells[i].print(), ZW_DONE;
    return cli_wrong("--completion takes bash, zsh or fish");
}
