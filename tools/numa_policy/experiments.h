/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The experiments: which published claim, which runs, what decides.
 */
#ifndef NP_EXPERIMENTS_H
#define NP_EXPERIMENTS_H

#include "claims.h"

#define NP_LOOKS_MAX 4

/**
 * struct np_arm - workload and policies of an experiment
 * @name: name of the arm, also of its directory
 * @policies: policies, with commas; the first is the base of the printed changes
 * @workload: the workload
 * @set: its parameters, NAME=VALUE with blanks between; NULL: none
 * @tune: tunables of NUMA balancing, likewise
 * @traffic: count accesses to memory
 * @decisions: record every decision
 */
struct np_arm {
	const char *name;
	const char *policies;
	const char *workload;
	const char *set;
	const char *tune;
	bool traffic;
	bool decisions;
};

/**
 * struct np_claim - a claim and what decides on it
 * @text: the claim, as a sentence without a full stop
 * @arm: name of the arm whose runs decide
 * @metric: name of the metric, see np_metrics
 * @policy: the policy
 * @base: the policy it is compared with
 * @relation: what is claimed
 * @margin: in percent of the base's mean
 */
struct np_claim {
	const char *text;
	const char *arm;
	const char *metric;
	const char *policy;
	const char *base;
	enum np_relation relation;
	double margin;
};

/**
 * struct np_experiment - an experiment
 * @name: its name on the command line
 * @title: what it asks
 * @against: the published claim and figures that it is held against
 * @cannot: what an emulator cannot show of them
 * @clock: what it does about the scan period, which backs off to a minute
 * @arms: its arms, up to one without a name
 * @claims: its claims, up to one without a text
 * @looks: runs of each policy after which the claims are judged, up to 0; the last is the limit
 */
struct np_experiment {
	const char *name;
	const char *title;
	const char *against;
	const char *cannot;
	const char *clock;
	const struct np_arm *arms;
	const struct np_claim *claims;
	int looks[NP_LOOKS_MAX + 1];
};

extern const struct np_experiment np_experiments[];

const struct np_experiment *np_experiment_find(const char *name);

#endif /* NP_EXPERIMENTS_H */
