# jq -n --slurpfile results RESULTS --arg check exact|allowance -f traffic.jq traffic.jsonl
#
# Holds what the plugin counted against the "expect" records of the workload "known".

def kinds: ["loads", "stores", "bytes"];

[inputs] as $lines
| $results[0].cells[0] as $cell
| [$lines[] | select(.mark == "probe")] as $probes
| [$cell.records[] | select(.type == "expect")] as $expect
| ($probes | length) == 2 * ($expect | length) and ($expect | length) > 0 and
  if $check == "exact" then
    # Between the two marks of each loop: what its record says, on its CPU and node, and nothing
    # on any other; but for a handful of accesses of init's (up to 11 were seen in 650,000), whose
    # switch of tasks the plugin can miss by an instruction.
    all(range($expect | length); $expect[.] as $e
      | $probes[2 * .] as $a | $probes[2 * . + 1] as $b
      | all(kinds[]; . as $k
        | all(range($a[$k] | length); . as $c | all(range($a[$k][$c] | length); . as $n
          | $b[$k][$c][$n] - $a[$k][$c][$n] -
            if $c == $e.cpu and $n == $e.node then $e[$k] else 0 end
          | . >= 0 and . <= if $k == "bytes" then 320 else 40 end))))
  else
    # Over the measured phase: not less, and only so much more as it takes to move from CPU to CPU
    # and to send the records.
    all(kinds[] | select(. != "bytes"); . as $k
      | all(range($cell.traffic.measured[$k] | length); . as $c
        | all($cell.traffic.nodes[]; . as $n
          | ([$expect[] | select(.cpu == $c and .node == $n) | .[$k]] | add // 0) as $want
          | $cell.traffic.measured[$k][$c][$n] - $want | . >= 0 and . <= 6000)))
  end
