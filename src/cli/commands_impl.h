// commands_impl.h: what commands share. Only for the sources of commands.
#ifndef ZWANG_CLI_COMMANDS_IMPL_H
#define ZWANG_CLI_COMMANDS_IMPL_H

#include "cli/cli.h"

// ---- command_models.c
// With the settings and the branch of the words. What is wrong is said on stderr.
zw_status cli_open_model(const CliWords *words, zw_model **model);
void cli_tell(zw_model *model, zw_level least); // on stderr
// Prints a report and the messages, and frees everything. Data is printed as it is.
int cli_finish(zw_model *model, zw_status status, zw_format as, zw_result *result);
// Values of options; false after a message.
bool cli_read_format(const CliWords *words, bool latex, zw_format *format);
bool cli_read_digits(const CliWords *words, size_t *digits);
bool cli_is_number(const char *text, double *value);
// A number, or an expression in the model's parameters.
zw_status cli_read_number(zw_model *model, const CliWords *words, CliOption option,
                          const char *name, double *value);

// ---- interrupts.c
void cli_listen_to_signals(void);
bool cli_is_interrupted(void);
// Progress of a run; of a page, which is written at its very end. False: it is to end.
bool cli_show_progress(void *context, double part);
bool cli_show_viewing(void *context, double part);

// ---- The commands: exit codes.
int cli_derive(const CliWords *words);
int cli_check(const CliWords *words);
int cli_at(const CliWords *words);
int cli_fit(const CliWords *words);
int cli_stability(const CliWords *words);
int cli_export(const CliWords *words);
int cli_run(const CliWords *words);
int cli_sweep(const CliWords *words);
int cli_view(const CliWords *words);
int cli_gallery(const CliWords *words);

#endif
