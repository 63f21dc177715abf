/** Median times of two ways to do the same, in alternating rounds, so that disturbances of the machine affect both. */

const WARM_UP = 3

/** Returns the median time of each, in milliseconds. */
export async function medianTimes(
  runs: readonly (() => Promise<unknown>)[],
  rounds: number,
): Promise<readonly number[]> {
  for (let round = 0; round < WARM_UP; round++) for (const run of runs) await run()
  const times = runs.map(() => [] as number[])
  for (let round = 0; round < rounds; round++) {
    for (const [index, run] of runs.entries()) {
      const begun = performance.now()
      await run()
      times[index]?.push(performance.now() - begun)
    }
  }
  return times.map(medianOf)
}

function medianOf(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
