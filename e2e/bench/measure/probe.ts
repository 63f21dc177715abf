/** Checks before a measurement that both sides respond to the workload with the same members. */

import type { Request } from './http-client'
import type { Side } from './measure'
import { randomFrom } from '../data/random'
import type { SeededPeople, Workload } from '../workloads/workload'

/** Returns the number of bytes of one response of each side. Throws when a side refuses, or when the members differ. */
export async function probe(
  workload: Workload,
  seeded: SeededPeople,
  sides: readonly Side[],
): Promise<readonly number[]> {
  const answers: string[] = []
  // The same request, except for values that must be new in each request.
  for (const side of sides) answers.push(await ask(workload.request(randomFrom(1), seeded), side))
  const shapes = new Set(answers.map((answer) => shapeOf(JSON.parse(answer))))
  if (shapes.size > 1) throw new Error(`The answers differ in what they hold:\n${answers.join('\n')}`)
  return answers.map((answer) => Buffer.byteLength(answer))
}

export async function ask({ method, path, body }: Request, { name, port, key }: Side): Promise<string> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Accept-Encoding': 'identity' }
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`The ${name} answers ${response.status}: ${text}`)
  return text
}

/** Returns the names of all members of a value. The first element of an array represents the others. */
function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${shapeOf(value[0])}]`
  if (typeof value !== 'object' || value === null) return '.'
  const members = Object.entries(value).map(([name, member]) => `${name}:${shapeOf(member)}`)
  return `{${members.sort().join(',')}}`
}
