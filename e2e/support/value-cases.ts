/** Tables of values that are written and read, and the tests that they make. */

import { expect, test } from 'bun:test'
import type { Answer, Request } from './client'

/** The value that is sent, and the type's own members of the values that are read. */
export interface Accepted {
  readonly send: unknown
  readonly reads: readonly object[]
}

/** The value that is sent, and the expected error. */
export interface Refused {
  readonly send: unknown
  readonly code: string
  /** Texts that the message contains. */
  readonly says?: readonly string[]
  /** The path of the problem in one of the `validation_errors`. */
  readonly at?: readonly (string | number)[]
}

/** The service and the attribute to which values are written. */
export interface Place {
  readonly request: Request
  readonly object: string
  readonly attribute: string
}

/** Writes each value to a new record, and reads it from the response, from the record and from its list of values. */
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

/** Returns the id of a created record. Throws when the request failed. */
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
