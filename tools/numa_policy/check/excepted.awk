# SPDX-License-Identifier: GPL-2.0
#
# Findings that no exception covers, and exceptions that cover none. The first file holds the
# exceptions, as its head says; findings are "FILE:LINE: CLASS/TYPE: message". With lenient=1 in
# the environment, for a part of the files, exceptions may cover none.

# A file name pattern of the shell's as a regular expression.
function glob(pattern)
{
	gsub(/[.+(){}^$|]/, "\\\\&", pattern)
	gsub(/\*/, ".*", pattern)
	gsub(/\?/, ".", pattern)
	return "^" pattern "$"
}

# The line of the source that is meant.
function line_of(file, nr,    n, text)
{
	if (!(file in read)) {
		read[file] = 1
		while ((getline text < (base "/" file)) > 0)
			lines[file, ++n] = text
		close(base "/" file)
	}
	return lines[file, nr]
}

FILENAME == ARGV[1] && (/^#/ || /^[ \t]*$/) { next }

FILENAME == ARGV[1] {
	gsub(/\t+/, "\t")
	if (split($0, f, "\t") != 4 || f[2] !~ /^[a-z-]+\/[^ ]+$/) {
		print FILENAME ":" FNR ": must be FILE, CLASS/TYPE, TEXT and reason, with tabs between them: " $0
		next
	}
	what = f[2]
	sub("/.*", "", what)
	if (!index(" checkpatch patches coccicheck shellcheck ", " " what " ")) {
		print FILENAME ":" FNR ": " what ": must be checkpatch, patches, coccicheck or shellcheck"
		next
	}
	if (f[2] ~ "^" class "/") {
		where[++count] = FILENAME ":" FNR
		file[count] = glob(f[1])
		type[count] = glob(f[2])
		text[count] = f[3]
	}
	next
}

{
	match($0, /^[^:]*:[0-9]*/)
	split(substr($0, 1, RLENGTH), at, ":")
	rest = substr($0, RLENGTH + 3)
	match(rest, /^[^:]*/)
	what = substr(rest, 1, RLENGTH)
	code = line_of(at[1], at[2])
	found = 0
	for (i = 1; i <= count; i++)
		if (at[1] ~ file[i] && what ~ type[i] && (rest " " code) ~ text[i])
			used[i] = found = 1
	if (!found)
		print $0 "\n    " code
}

END {
	for (i = 1; i <= count; i++)
		if (!used[i] && !ENVIRON["lenient"])
			print where[i] ": an exception that nothing needs any more: take it out"
}
