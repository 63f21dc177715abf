/** A receiver that finds events which were lost, delivered with two keys, or delivered out of order. */

import { answer, listIdOf, startReceiver, type Received, type Receiver } from './receivers'

export interface Counter extends Receiver {
  /** Returns the number of different events. */
  distinct(): number
  /** Returns the number of repeated deliveries. */
  repeated(): number
  /** Describes the faults; empty when there are none. */
  faults(expected: readonly string[]): string[]
}

/** `decide` returns the status, or undefined to leave the request without a response. */
export async function startCounter(
  decide: (request: Received, count: number) => number | undefined = () => 204,
): Promise<Counter> {
  const keys = new Map<string, Set<string>>()
  const order: string[] = []
  let count = 0
  const receiver = await startReceiver((socket, request) => {
    const id = listIdOf(request)
    if (!keys.has(id)) order.push(id)
    keys.set(id, (keys.get(id) ?? new Set()).add(request.headers.get('Idempotency-Key') ?? ''))
    const status = decide(request, (count += 1))
    if (status !== undefined) answer(socket, status)
  })
  return {
    ...receiver,
    distinct: () => keys.size,
    repeated: () => count - keys.size,
    faults(expected) {
      const places = new Map(expected.map((id, index) => [id, index]))
      const lost = expected.filter((id) => !keys.has(id)).map((id) => `${id} was lost`)
      const foreign = order.filter((id) => !places.has(id)).map((id) => `${id} never happened`)
      const twoKeys = [...keys].filter(([, all]) => all.size > 1).map(([id]) => `${id} came under two keys`)
      const late = order.filter((id, index) => {
        const before = order[index - 1]
        return before !== undefined && (places.get(id) ?? 0) < (places.get(before) ?? 0)
      })
      return [...lost, ...foreign, ...twoKeys, ...late.map((id) => `${id} came after a later one`)]
    },
  }
}

/** Returns `a0`, `a1`, … for the prefix `a`. */
export const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`)
