/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The subcommands of numa-policy. Each gets its own name as argv[0] and returns NP_OK, NP_FAIL
 * or NP_USAGE.
 */
#ifndef NP_COMMANDS_H
#define NP_COMMANDS_H

int cmd_list(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_experiment(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_apply(int argc, char **argv);
int cmd_unapply(int argc, char **argv);
int cmd_fingerprint(int argc, char **argv);

#endif /* NP_COMMANDS_H */
