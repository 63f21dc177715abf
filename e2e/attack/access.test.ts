/** Callers without access: without a token, with a key that lacks scopes, and with a key of another workspace. See docs/reference/access-and-oauth.md (Refusals, Scopes). */

import { describe, expect, test } from 'bun:test'
import { forThisFile } from '../support/service/service-per-file'
import { ALL_AREAS, FOREIGN_MARK, startAttacked } from './attacked'
import type { HostileRequest } from './find-faults'
import { idOf, type Operation, parametersOf, pathOf } from './operations'
import { jsonWith, placesIn, requestFor } from './requests'

const attacked = forThisFile(startAttacked)
const TIME = 3_600_000

const NOBODY = '01890a5d-ac96-774b-bcce-b302099a8057'
const served = () => attacked().operations.filter(({ isServed, isOfConsole }) => isServed && !isOfConsole)
const guarded = () => served().filter(({ scopes, template }) => scopes !== undefined && template.startsWith('/v2'))
const bodyOf = ({ body }: Operation): string | undefined => (body === undefined ? undefined : JSON.stringify(body))

test(
  '401 without a token, and with an invalid one',
  async () => {
    const tokens = [undefined, 'Bearer x', `Bearer ${'0'.repeat(64)}`, `Basic ${btoa(`${'0'.repeat(64)}:`)}`]
    const requests = guarded().flatMap((operation) =>
      tokens.map((token): HostileRequest => {
        const { headers: _, ...request } = requestFor(attacked(), operation, String(token), { body: bodyOf(operation) })
        return { ...request, statuses: [401], headers: token === undefined ? {} : { Authorization: token } }
      }),
    )
    expect(await attacked().faultsOf(requests)).toEqual([])
  },
  TIME,
)

test(
  '401 at the console without a session, and with an invalid one',
  async () => {
    const ofConsole = attacked().operations.filter(
      ({ template, method }) =>
        (template.startsWith('/console/') && template.includes('{workspace_id}')) ||
        (template === '/console/v2/*' && method !== 'POST'),
    )
    const requests = ofConsole.flatMap((operation) =>
      ['', 'relata_session=x; __Host-relata=x'].map((Cookie): HostileRequest => {
        const request = requestFor(attacked(), operation, 'signed out', { body: bodyOf(operation) })
        return { ...request, statuses: [401], headers: { 'X-Workspace': attacked().ids.workspace, Cookie } }
      }),
    )
    expect(await attacked().faultsOf(requests)).toEqual([])
  },
  TIME,
)

describe('403', () => {
  test(
    'for a key that lacks the scopes, naming them',
    async () => {
      const readOnly = await attacked().keyWith(ALL_AREAS.map((area) => `${area}:read`))
      const other = await attacked().keyWith(['note:read'])
      const requests = guarded().flatMap((operation) =>
        [other, ...(needsWriting(operation) ? [readOnly] : [])].map((key): HostileRequest => {
          const request = requestFor(attacked(), operation, 'too few scopes', { body: bodyOf(operation) })
          const isAllowed = operation.scopes?.length === 0
          return {
            ...request,
            headers: { ...request.headers, Authorization: `Bearer ${key}` },
            ...(isAllowed ? {} : { statuses: [403], problemOf: (_, text) => nameless(operation, text) }),
          }
        }),
      )
      expect(await attacked().faultsOf(requests)).toEqual([])
    },
    TIME,
  )
})

/** The emails that a member sends are refused to a key of the workspace, whatever their ids. */
const isOfMember = ({ template }: Operation): boolean => template.startsWith('/v2/emails/sent')

const needsWriting = ({ scopes = [] }: Operation): boolean => scopes.some((scope) => scope.endsWith(':read-write'))

function nameless({ scopes = [] }: Operation, text: string): string | undefined {
  const named: unknown = JSON.parse(text).required_scopes
  const isNamed = Array.isArray(named) && named.length > 0 && named.every((scope) => scopes.includes(scope))
  return isNamed ? undefined : `does not name scopes it lacks: ${text}`
}

describe('404 or 400 for ids of another workspace', () => {
  /** The response must be that for an unknown id, except for the id itself. */
  async function* asked(path: (id: string) => string, body: (id: string) => unknown, operation: Operation, id: string) {
    const unknown = await attacked().request(operation.method, path(NOBODY), body(NOBODY))
    const expected = JSON.stringify(unknown.body).replaceAll(NOBODY, '')
    yield requestFor(attacked(), operation, `${id} is another workspace's`, {
      path: path(id),
      body: body(id) === undefined ? undefined : String(body(id)),
      statuses: unknown.status === 200 ? [200] : [unknown.status],
      problemOf: (status, text) => {
        if (text.includes(FOREIGN_MARK)) return `shows something of it: ${text.slice(0, 300)}`
        const isAlike = status === 200 || text.replaceAll(id, '') === expected
        return isAlike ? undefined : `${text} is unlike ${expected}`
      },
    })
  }

  test(
    'in a path',
    async () => {
      const { ids } = attacked()
      const foreign = await attacked().openForeign()
      const requests: HostileRequest[] = []
      for (const operation of guarded()) {
        for (const name of parametersOf(operation.template)) {
          const path = (id: string) => pathOf(operation.template, ids, { [name]: id })
          const id = idOf(operation.template, name, foreign)
          const found = await Array.fromAsync(asked(path, () => bodyOf(operation), operation, id))
          const refusals = isOfMember(operation) ? [403] : [400, 404]
          expect([operation.template, found[0]?.statuses?.every((status) => refusals.includes(status))]).toEqual([
            operation.template,
            true,
          ])
          requests.push(...found)
        }
      }
      expect(await attacked().faultsOf(requests)).toEqual([])
    },
    TIME,
  )

  test(
    'in a query, where it is nothing',
    async () => {
      const { person, company, folder } = await attacked().openForeign()
      const own = attacked().ids.person
      const queries: [string, string, (id: string) => string][] = [
        ['/v2/files', person, (id) => `object=people&record_id=${id}`],
        ['/v2/files', folder, (id) => `object=people&record_id=${own}&parent_folder_id=${id}`],
        ['/v2/meetings', company, (id) => `linked_object=companies&linked_record_id=${id}`],
        ['/v2/emails', person, (id) => `linked_object=people&linked_record_ids=${id}`],
        ['/v2/tasks', person, (id) => `linked_object=people&linked_record_id=${id}`],
        ['/v2/notes', company, (id) => `parent_object=companies&parent_record_id=${id}`],
      ]
      const requests = queries.map(async ([template, id, query]) => {
        const operation = served().find((each) => each.method === 'GET' && each.template === template)
        if (operation === undefined) throw new Error(`${template} is not served.`)
        return Array.fromAsync(
          asked(
            (of) => `${template}?${query(of)}`,
            () => undefined,
            operation,
            id,
          ),
        )
      })
      expect(await attacked().faultsOf((await Promise.all(requests)).flat())).toEqual([])
    },
    TIME,
  )

  test(
    'in a body',
    async () => {
      const { ids } = attacked()
      const foreign = new Map(pairsOf(ids, await attacked().openForeign()))
      const requests: HostileRequest[] = []
      for (const operation of guarded().filter(({ body }) => body !== undefined)) {
        const path = pathOf(operation.template, ids) + (operation.method === 'PUT' ? '?matching_attribute=emails' : '')
        for (const [place, value] of valuesIn(operation.body)) {
          const id = foreign.get(value)
          const body = (text: string) => jsonWith(operation.body, place, JSON.stringify(text))
          if (id !== undefined) requests.push(...(await Array.fromAsync(asked(() => path, body, operation, id))))
        }
      }
      expect(requests.length).toBeGreaterThan(5)
      expect(await attacked().faultsOf(requests)).toEqual([])
    },
    TIME,
  )
})

type Place = readonly (string | number)[]

const valuesIn = (value: unknown): [Place, string][] =>
  placesIn(value).flatMap((place): [Place, string][] => {
    const found = valueAt(value, place)
    return typeof found === 'string' ? [[place, found]] : []
  })

const valueAt = (value: unknown, place: Place): unknown =>
  place.reduce<unknown>((part, name) => Reflect.get(Object(part), name), value)

/** Returns each id of one workspace with the id of the same thing in the other workspace. */
const pairsOf = (own: unknown, foreign: unknown): [string, string][] =>
  valuesIn(foreign).flatMap(([place, id]): [string, string][] => {
    const value = valueAt(own, place)
    return typeof value === 'string' ? [[value, id]] : []
  })
