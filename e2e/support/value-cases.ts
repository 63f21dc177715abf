/** Tables of values written and read, and how they are tried. */

import { expect, test } from 'bun:test'
import type { Answer, Request } from './client'

/** What is sent, and the own members of the values that are then read. */
export interface Accepted {
  readonly send: unknown
  readonly reads: readonly object[]
}

/** What is sent, and how it is refused. */
export interface Refused {
  readonly send: unknown
  readonly code: string
  /** Words the message has. */
  readonly says?: readonly string[]
  /** Where the problem is, as one of the `validation_errors` says. */
  readonly at?: readonly (string | number)[]
}

/** Where values are written: the service is there only once the tests run. */
export interface Place {
  readonly request: Request
  readonly object: string
  readonly attribute: string
}

/** Each value is written to a new record and read from the answer, from the record and from its list of values. */
export function accepts(place: () => Place, cases: readonly Accepted[]): void {
  for (const { send, reads } of cases) {
    test(`200 ${label(send)} reads ${label(reads)}`, async () => {
      const { request, object, attribute } = place()
      const created = await createRecord(request, object, { [attribute]: send })
      expect(created.body).toMatchObject({ data: {} })
      expect(ownMembers(created.body.data.values[attribute])).toEqual([...reads])
      const record = `/v2/objects/${object}/records/${recordIdOf(created)}`
      const read = await request('GET', record)
      expect(read.body).toEqual(created.body)
      const listed = await request('GET', `${record}/attributes/${attribute}/values`)
      expect(listed.body.data).toEqual(created.body.data.values[attribute])
    })
  }
}

export function refuses(place: () => Place, cases: readonly Refused[]): void {
  for (const { send, code, says = [], at } of cases) {
    test(`400 ${code} ${label(send)}`, async () => {
      const { request, object, attribute } = place()
      const answer = await createRecord(request, object, { [attribute]: send })
      expectRefusal(answer, 400, code, says)
      if (at) expect(pathsIn(answer)).toContainEqual([...at])
    })
  }
}

export const createRecord = (request: Request, object: string, values: unknown): Promise<Answer> =>
  request('POST', `/v2/objects/${object}/records`, { data: { values } })

/** The id of a record that must have been created. */
export function recordIdOf({ status, body }: Answer): string {
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return String(body.data.id.record_id)
}

export function expectRefusal({ body }: Answer, status: number, code: string, says: readonly string[] = []): void {
  expect(body).toMatchObject({ status_code: status, code })
  for (const words of says) expect(body.message).toContain(words)
}

export const pathsIn = ({ body }: Answer): unknown[] =>
  (body.validation_errors ?? []).map(({ path }: { path: unknown }) => path)

/** Returns the values without the members that all values have. */
export const ownMembers = (values: readonly object[]): object[] =>
  values.map((value) => {
    const {
      active_from: _from,
      active_until: _until,
      created_by_actor: _actor,
      attribute_type: _type,
      ...own
    } = value as Record<string, unknown> // a value of the contract
    return own
  })

function label(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}
