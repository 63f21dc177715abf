/** Measures how much a webhook with all events slows down writes: the same writes with it and without it, in turns. */

import { createCompany, onlyWebhooks, quantile, type Parts } from './parts'

const ROUNDS = 4
const SECONDS = 2

export async function writing(parts: Parts): Promise<void> {
  for (const concurrency of [1, 8]) {
    const without: number[] = []
    const beside: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      await onlyWebhooks(parts, 'record.created', [])
      without.push(...(await create(parts, concurrency)))
      await onlyWebhooks(parts, 'record.created', ['/well/0'])
      beside.push(...(await create(parts, concurrency)))
    }
    show(concurrency, without, beside)
  }
}

function show(concurrency: number, without: readonly number[], beside: readonly number[]): void {
  const p50 = (waits: readonly number[]) =>
    quantile(
      [...waits].sort((a, b) => a - b),
      0.5,
    )
  const perSecond = (waits: readonly number[]) => (waits.length / (ROUNDS * SECONDS)).toFixed(0)
  console.log(
    `create at concurrency ${concurrency}: p50 ${p50(without).toFixed(2)} ms, with a webhook ${p50(beside).toFixed(2)} ms: ` +
      `${(p50(beside) / p50(without)).toFixed(2)} (at most 1.15); ` +
      `${perSecond(without)} and ${perSecond(beside)} a second: ${(without.length / beside.length).toFixed(2)} of the time for each`,
  )
}

/** Returns the time of each write, in milliseconds. */
async function create(parts: Parts, concurrency: number): Promise<number[]> {
  const waits: number[] = []
  const end = performance.now() + SECONDS * 1000
  const client = async () => {
    while (performance.now() < end) {
      const begun = performance.now()
      await createCompany(parts, 'A company')
      waits.push(performance.now() - begun)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, client))
  return waits
}
