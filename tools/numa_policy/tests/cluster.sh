#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# cluster.sh TOOL KERNEL WORKDIR: a matrix whose cells others run: GNU parallel over ssh, and Slurm.
#
# Both are run as the README shows them, on this machine alone: a private sshd, and private munged,
# slurmctld and slurmd, with all that they need below WORKDIR. Nothing of them is left behind.
set -eu

tool=$(readlink -f "$1") kernel=$(readlink -f "$2") work=$3
. "$(dirname "$0")/lib.sh"

rm -rf "$work"
mkdir -p "$work"
work=$(readlink -f "$work")
cd "$work"
user=$(id -un)

# ---- daemons: each is ended by its process ID, whatever happens ----

daemons=
run_sshd=

# start NAME COMMAND...: a daemon that stays in the foreground
start() {
	name=$1
	shift
	"$@" >"$work/$name.out" 2>&1 </dev/null &
	daemons="$! $daemons"
}

# Jobs are not children of ours: Slurm must end them while it runs.
no_jobs() {
	[ -z "$(squeue -h)" ]
}

stop_all() {
	if [ -n "${SLURM_CONF:-}" ] && [ -n "$daemons" ]; then
		timeout 10 scancel --user="$user" 2>/dev/null || true
		wait_for 30 no_jobs || echo "# jobs of Slurm are left"
	fi
	for pid in $daemons; do
		kill "$pid" 2>/dev/null || true
	done
	for pid in $daemons; do
		wait "$pid" 2>/dev/null || true
	done
	daemons=
	[ -z "$run_sshd" ] || rmdir /run/sshd 2>/dev/null || true
}
trap stop_all EXIT
trap 'exit 1' HUP INT TERM

# wait_for SECONDS COMMAND...: until it succeeds
wait_for() {
	left=$(($1 * 5))
	shift
	until "$@" >/dev/null 2>&1; do
		left=$((left - 1))
		[ "$left" -gt 0 ] || return 1
		sleep 0.2
	done
}

# A port that nobody listens on.
port=$((20000 + $$ % 20000))
free_port() {
	port=$((port + 1))
	while grep -qi "^ *[0-9]*: [0-9A-F]*:$(printf '%04x' "$port") " /proc/net/tcp /proc/net/tcp6; do
		port=$((port + 1))
	done
	echo "$port"
}

have() {
	for program in "$@"; do
		PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || {
			echo "not found: $program" >"$work/missing"
			return 1
		}
	done
}

# ---- the matrix ----

options="--kernel $kernel --policies always,seq_delta --workloads sleeper --reps 2 --topology 2x1 \
	--jobs 1 --set sleeper.vmas=4 --set sleeper.vma_kb=16 --set sleeper.settle_ms=100 \
	--set sleeper.away_ms=100 --set sleeper.return_ms=300"

# shellcheck disable=SC2086
"$tool" compare $options --list-cells >cells
check "the cells are listed" [ "$(tr '\n' ' ' <cells)" = \
	"sleeper/always/1 sleeper/seq_delta/1 sleeper/always/2 sleeper/seq_delta/2 " ]

# collected NAME: the table of all cells
collected() {
	"$tool" compare --print "$work/$1" >"$1.table" 2>&1 && grep -q '^runs  *2/2  *2/2$' "$1.table"
}

all_checks() {
	check "$1: every cell has its file" [ "$(find "$1/cells-done" -name '*.json' | wc -l)" -eq 4 ]
	check "$1: they make one table" collected "$1"
	# shellcheck disable=SC2086
	check "$1: nothing is missing then" [ -z "$("$tool" compare $options --out "$work/$1" \
		--resume --list-cells 2>/dev/null)" ]
}

# ---- GNU parallel over ssh ----

run_parallel() {
	# shellcheck disable=SC2086
	PARALLEL_HOME=$work/parallel-home parallel --will-cite --ssh "ssh -F $work/ssh/config" \
		-S 1/node1,1/node2 --joblog ssh.log \
		"$tool" compare $options --out "$work/over-ssh" --cell '{}' <cells >ssh.out 2>&1
}

over_ssh() {
	mkdir -p ssh
	ssh-keygen -q -t ed25519 -N '' -f ssh/host
	ssh-keygen -q -t ed25519 -N '' -f ssh/key
	ssh_port=$(free_port)
	cat >ssh/sshd_config <<-END
		ListenAddress 127.0.0.1
		Port $ssh_port
		HostKey $work/ssh/host
		AuthorizedKeysFile $work/ssh/key.pub
		PidFile none
		StrictModes no
		UsePAM no
		PasswordAuthentication no
		PermitRootLogin prohibit-password
	END
	cat >ssh/config <<-END
		Host node1 node2
			HostName 127.0.0.1
			Port $ssh_port
			User $user
			IdentityFile $work/ssh/key
			IdentitiesOnly yes
			StrictHostKeyChecking no
			UserKnownHostsFile $work/ssh/known_hosts
			LogLevel ERROR
	END
	if [ "$(id -u)" -eq 0 ] && [ ! -d /run/sshd ]; then
		mkdir /run/sshd
		run_sshd=1
	fi
	start sshd /usr/sbin/sshd -D -e -f "$work/ssh/sshd_config"
	check "ssh: the private sshd answers" wait_for 20 ssh -F ssh/config node1 true
	mkdir -p parallel-home
	check "ssh: parallel runs every cell" run_parallel
	sed 's/^/# /' ssh.out
	check "ssh: both nodes were used" [ "$(cut -f 2 ssh.log | sort -u | grep -c node)" -eq 2 ]
	all_checks over-ssh
}

if have parallel ssh sshd ssh-keygen; then
	over_ssh
else
	echo "# skip: GNU parallel over ssh: $(cat missing) (packages parallel, openssh-server)"
fi

# ---- Slurm ----

slurm_conf() {
	ctld_port=$(free_port)
	port=$ctld_port
	cat <<-END
		ClusterName=test
		SlurmctldHost=$(hostname -s)(127.0.0.1)
		SlurmctldPort=$ctld_port
		SlurmdPort=$(free_port)
		AuthType=auth/munge
		AuthInfo=socket=$work/munge/socket
		SlurmUser=$user
		SlurmdUser=$user
		StateSaveLocation=$work/slurm/state
		SlurmdSpoolDir=$work/slurm/spool
		SlurmctldPidFile=$work/slurm/slurmctld.pid
		SlurmdPidFile=$work/slurm/slurmd.pid
		SlurmctldLogFile=$work/slurm/slurmctld.log
		SlurmdLogFile=$work/slurm/slurmd.log
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		SwitchType=switch/none
		MpiDefault=none
		MailProg=/bin/true
		SchedulerType=sched/builtin
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU
		SlurmdParameters=config_overrides
		ReturnToService=2
		KillWait=5
		NodeName=node1 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
		PartitionName=all Nodes=node1 Default=YES MaxTime=INFINITE State=UP
	END
}

run_array() {
	timeout 600 sbatch --wait --array=1-"$(wc -l <cells)" --output="$work/slurm/job-%a.out" \
		job.sh >sbatch.out 2>&1
}

under_slurm() {
	mkdir -p munge slurm/state slurm/spool
	chmod 755 munge
	head -c 1024 /dev/urandom >munge/key
	chmod 400 munge/key
	slurm_conf >slurm/slurm.conf
	export SLURM_CONF="$work/slurm/slurm.conf"
	start munged /usr/sbin/munged --foreground --force --key-file="$work/munge/key" \
		--socket="$work/munge/socket" --pid-file="$work/munge/pid" \
		--log-file="$work/munge/log" --seed-file="$work/munge/seed" --num-threads=2
	check "slurm: the private munged answers" wait_for 20 munge -n -S "$work/munge/socket"
	start slurmctld /usr/sbin/slurmctld -D -f "$SLURM_CONF"
	start slurmd /usr/sbin/slurmd -D -f "$SLURM_CONF"
	check "slurm: the node is there" wait_for 40 sh -c 'sinfo -h -o %t | grep -qx idle'
	cat >job.sh <<-END
		#!/bin/sh
		#SBATCH --job-name=numa-policy
		#SBATCH --ntasks=1 --cpus-per-task=1
		cell=\$(sed -n "\${SLURM_ARRAY_TASK_ID}p" $work/cells)
		exec $tool compare $(echo "$options" | tr -s '\t\n' '  ') \
			--out $work/under-slurm --cell "\$cell"
	END
	check "slurm: the array of jobs runs" run_array
	for n in 1 2 3 4; do
		sed "s/^/# job $n: /" "slurm/job-$n.out" || true
	done
	all_checks under-slurm
}

if have munged munge slurmctld slurmd sbatch sinfo; then
	under_slurm
else
	echo "# skip: Slurm: $(cat missing) (packages munge, slurm-wlm)"
fi

# ---- both, and nothing left ----

if [ -d over-ssh ] && [ -d under-slurm ]; then
	"$tool" compare --print over-ssh under-slurm >both.table 2>both.err && same=0 || same=$?
	echo "# together: exit status $same $(cat both.err)"
	check "the same cells run twice are one cell, or refused by name" sh -c \
		"[ $same -eq 0 ] || grep -q 'was run twice: ' both.err"
fi
pids=$daemons
stop_all
for pid in $pids; do
	refuse "daemon $pid is gone" kill -0 "$pid" 2>/dev/null
done
finish
