/** Bodies that are deep, large or not JSON, for every operation that reads one. See docs/reference/errors-and-limits.md (Malformed requests, Sizes). */

import { describe, expect, test } from 'bun:test'
import { forThisFile } from '../support/service/service-per-file'
import { requestText, sendAndLeave } from '../support/http/raw-http'
import { startAttacked } from './attacked'
import type { HostileRequest } from './find-faults'
import { CONTENT_TYPES, DEEP, ENCODINGS, HUGE, LARGE } from './hostile'
import type { Operation } from './operations'
import { IS_LONG, jsonWith, placesIn, requestFor, someOf } from './requests'

const attacked = forThisFile(startAttacked)
const TIME = 3_600_000

const reading = () => attacked().operations.filter(({ body, isServed }) => body !== undefined && isServed)

/** Yields a body with another text in place of each of some parts, and of the whole body. */
function* bentBodies(
  texts: Readonly<Record<string, () => string>>,
  each: number,
  places: number,
): Generator<HostileRequest> {
  for (const operation of reading()) {
    const about = `${operation.method} ${operation.template}`
    for (const name of someOf(Object.keys(texts), each, about)) {
      const text = texts[name]?.()
      for (const place of someOf(placesIn(operation.body), places, `${about} ${name}`))
        yield requestFor(attacked(), operation, `${place.join('.') || 'the body'} is ${name}`, {
          body: jsonWith(operation.body, place, text),
        })
    }
  }
}

describe('only responses of the catalogue', () => {
  test(
    'for deeply nested JSON',
    async () => {
      expect(await attacked().faultsOf(bentBodies(DEEP, 2, 2))).toEqual([])
    },
    TIME,
  )

  test(
    'for large JSON',
    async () => {
      expect(await attacked().faultsOf(bentBodies(LARGE, 2, 1))).toEqual([])
    },
    TIME,
  )

  test(
    'for bodies that are not JSON in UTF-8',
    async () => {
      function* requests(): Generator<HostileRequest> {
        for (const operation of reading()) {
          const json = JSON.stringify(operation.body)
          const about = `${operation.method} ${operation.template}`
          for (const name of someOf(Object.keys(ENCODINGS), 4, about))
            yield requestFor(attacked(), operation, name, { body: ENCODINGS[name]?.(json) })
          for (const type of someOf(CONTENT_TYPES, 2, about))
            yield requestFor(attacked(), operation, type, { body: json, headers: { 'Content-Type': type } })
        }
      }
      expect(await attacked().faultsOf(requests())).toEqual([])
    },
    TIME,
  )

  test(
    'for bodies of the largest allowed size',
    async () => {
      function* requests(): Generator<HostileRequest> {
        for (const [index, operation] of someOf(largest(), 4, 'huge').entries()) {
          // In a usual run, any three operations have all of them.
          for (const name of Object.keys(HUGE).filter((_, at) => IS_LONG || (at + index) % 3 === 0)) {
            const place = someOf(placesIn(operation.body).slice(1), 1, name)[0] ?? []
            const body = jsonWith(operation.body, place, HUGE[name]?.())
            yield requestFor(attacked(), operation, `${place.join('.')} is ${name}`, { body })
          }
        }
      }
      expect(await attacked().faultsOf(requests())).toEqual([])
    },
    TIME,
  )
})

/** One operation of each kind that reads its body differently. */
const largest = (): Operation[] =>
  reading().filter(({ template }) =>
    /records|entries|webhooks$|\/test$|sign-in|preview|oauth\/token|attributes$/.test(template),
  )

test(
  'no error of the service for clients that disconnect during the body',
  async () => {
    const { url, faultsOf } = attacked()
    for (const operation of reading()) {
      const { method, path, headers = {} } = requestFor(attacked(), operation, '')
      const lines = [
        `Host: ${new URL(url).host}`,
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      ]
      const json = JSON.stringify(operation.body)
      const half = json.slice(0, json.length / 2)
      await sendAndLeave(url, requestText(method, path, [...lines, `Content-Length: ${json.length + 9}`]) + half)
      const chunk = `${half.length.toString(16)}\r\n${half}\r\n`
      await sendAndLeave(url, requestText(method, path, [...lines, 'Transfer-Encoding: chunked']) + chunk)
      await sendAndLeave(url, requestText(method, path, [...lines, 'Transfer-Encoding: chunked']) + `${chunk}zz\r\n`)
    }
    expect(await faultsOf([])).toEqual([])
  },
  TIME,
)
