/** Hostile paths, query strings and headers for every operation. See docs/reference/errors-and-limits.md (Malformed requests). */

import { describe, expect, test } from 'bun:test'
import { forThisFile } from '../support/service/service-per-file'
import { startAttacked } from './attacked'
import type { HostileRequest } from './find-faults'
import { HEADERS, PARAMETERS, SEGMENTS } from './hostile'
import { type Operation, parametersOf, pathOf } from './operations'
import { requestFor, someOf } from './requests'

const attacked = forThisFile(startAttacked)
const TIME = 3_600_000

const NOBODY = '01890a5d-ac96-774b-bcce-b302099a8057'

/** Returns a path of an operation. For deletions, the path names nothing that exists, because other tests need those things. */
function harmlessPath({ method, template }: Operation): string {
  const last = parametersOf(template).at(-1)
  return pathOf(template, attacked().ids, method === 'DELETE' && last !== undefined ? { [last]: NOBODY } : {})
}

const bodyOf = ({ body }: Operation): string | undefined => (body === undefined ? undefined : JSON.stringify(body))

describe('only responses of the catalogue', () => {
  test(
    'for hostile segments of a path',
    async () => {
      function* requests(): Generator<HostileRequest> {
        for (const operation of attacked().operations) {
          const { method, template } = operation
          for (const name of parametersOf(template)) {
            for (const segment of someOf(SEGMENTS, 4, `${method} ${template} ${name}`)) {
              const path = pathOf(template, attacked().ids, { [name]: segment })
              yield requestFor(attacked(), operation, `{${name}} is ${segment}`, { path, body: bodyOf(operation) })
            }
          }
        }
      }
      expect(await attacked().faultsOf(requests())).toEqual([])
    },
    TIME,
  )

  test(
    'for hostile query strings',
    async () => {
      function* requests(): Generator<HostileRequest> {
        for (const operation of attacked().operations) {
          const { method, template, query } = operation
          const ask = (search: string) =>
            requestFor(attacked(), operation, `the query is ${search}`, {
              path: `${harmlessPath(operation)}?${search}`,
              body: bodyOf(operation),
            })
          for (const name of query)
            for (const value of someOf(PARAMETERS, 3, `${method} ${template} ${name}`)) yield ask(`${name}=${value}`)
          yield ask(query.map((name) => `${name}=1&${name}=2&${name}[]=3`).join('&'))
          yield ask('%=%&%00=%00&=&&&a[b][c]=d&__proto__[x]=1&constructor=1#x')
          yield ask('x=1&'.repeat(3000))
        }
      }
      expect(await attacked().faultsOf(requests())).toEqual([])
    },
    TIME,
  )

  test(
    'for hostile headers',
    async () => {
      function* requests(): Generator<HostileRequest> {
        for (const operation of attacked().operations) {
          const path = harmlessPath(operation)
          for (const line of someOf(HEADERS, 2, `${operation.method} ${operation.template}`))
            yield requestFor(attacked(), operation, line, { path, lines: [line], body: bodyOf(operation) })
        }
      }
      expect(await attacked().faultsOf(requests())).toEqual([])
    },
    TIME,
  )

  test(
    'for unknown paths and methods',
    async () => {
      const paths = ['/v2', '/v2/', '//', '/v2//objects', '/V2/objects', '/v2/objects/', '/.env', '/%2e%2e/etc/passwd']
      const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT', 'PROPFIND', 'X']
      const requests = [...paths, ...someOf(SEGMENTS, 6, 'nowhere').map((segment) => `/${segment}`)].flatMap((path) =>
        methods.map((method): HostileRequest => {
          const isShort = method === 'HEAD' || method === 'OPTIONS'
          return { about: method, method, path, form: isShort ? 'any' : 'page', lines: [] }
        }),
      )
      expect(await attacked().faultsOf(requests)).toEqual([])
    },
    TIME,
  )
})
