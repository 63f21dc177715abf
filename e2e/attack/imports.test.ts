/** Files that are not CSV or very large, and plans for them. */

import { describe, expect, test } from 'bun:test'
import { forThisFile } from '../support/service/service-per-file'
import { startAttacked } from './attacked'
import type { HostileRequest } from './find-faults'
import { ENCODINGS } from './hostile'
import { type Operation, pathOf } from './operations'
import { requestFor } from './requests'

const attacked = forThisFile(startAttacked)
const TIME = 3_600_000

const FILES: Readonly<Record<string, () => string | Uint8Array>> = {
  nothing: () => '',
  'line breaks': () => '\r\n\n\r'.repeat(1000),
  'a header alone': () => 'Name,Email',
  'empty names': () => ',,,\n1,2,3,4\n',
  'equal names': () => 'Name,Name,name\n1,2,3\n',
  'a quote that is never closed': () => `Name\n"${'x'.repeat(2_000_000)}`,
  'a quote in each cell': () => `Name\n${'a"b,""c"""\n'.repeat(20_000)}`,
  'quotes alone': () => '"'.repeat(200_001),
  'a cell of 2 MB': () => `Name\n${'x'.repeat(2_000_000)}\n`,
  'a name of 1 MB': () => `${'N'.repeat(1_000_000)}\nx\n`,
  '20,000 columns': () => `${Array.from({ length: 20_000 }, (_, n) => `c${n}`).join()}\n${'1,'.repeat(20_000)}\n`,
  'rows of other lengths': () => `A,B\n${Array.from({ length: 2000 }, (_, n) => 'x,'.repeat(n % 50)).join('\n')}`,
  'every delimiter': () => 'a,b;c\td|e\n1,2;3\t4|5\n'.repeat(100),
  'delimiters alone': () => ';,\t|'.repeat(100_000),
  formulas: () => `Name\n${['=1+1', '@SUM(A1)', '+cmd', '-1'].join('\n')}\n`,
  NUL: () => 'Name\na\0b\n',
  'bytes that are not text': () => new Uint8Array(100_000).map((_, n) => (n * 97) % 256),
  'values of every kind': () =>
    `Name,Email,Date,Amount,Phone,Place\n${`${'9'.repeat(400)},a@${'b.'.repeat(200)},99/99/9999,€1.2.3,+${'1'.repeat(50)},"${','.repeat(300)}"\n`.repeat(500)}`,
  ...Object.fromEntries(
    Object.entries(ENCODINGS).map(([name, encode]) => [`${name}, of text`, () => encode('{"Name","Ä"}\n"a","b"\n')]),
  ),
}

const PLANS: readonly string[] = [
  '{}',
  '{"columns":null}',
  '{"columns":{"Name":"description"}}',
  '{"columns":{"Name":"nothing"},"match":"nothing","fallback":"name","overwrite":true,"country":"XX"}',
  '{"columns":{"nothing":"description"},"match":null,"fallback":"none","overwrite":false,"country":null}',
  '{"columns":{"Name":"record_id"},"match":"record_id","fallback":"none","overwrite":false,"country":null}',
  '{"columns":{"Name":"new:text:Title"},"match":null,"fallback":"none","overwrite":false,"country":null}',
  '{"columns":{"__proto__":"description","constructor":"x"},"match":null,"fallback":"none","overwrite":false,"country":null}',
  `{"columns":{${Array.from({ length: 20_000 }, (_, n) => `"c${n}":"description"`).join()}},"match":null,"fallback":"none","overwrite":false,"country":null}`,
]

const operationAt = (method: string, end: string): Operation => {
  const found = attacked().operations.find((each) => each.method === method && each.template.endsWith(end))
  if (found === undefined) throw new Error(`There is no ${method} …${end}.`)
  return found
}

describe('only responses of the catalogue', () => {
  test(
    'for an uploaded file',
    async () => {
      const upload = operationAt('POST', '{workspace_id}/imports')
      const path = pathOf(upload.template, attacked().ids)
      const requests = Object.entries(FILES).map(([name, file]) =>
        requestFor(attacked(), upload, name, {
          path: `${path}?object=people&file_name=x.csv`,
          headers: { 'Content-Type': 'text/csv' },
          body: file(),
        }),
      )
      expect(await attacked().faultsOf(requests)).toEqual([])
    },
    TIME,
  )

  test(
    'for plans of each file, and their previews',
    async () => {
      const { url, browser, ids } = attacked()
      const path = pathOf(operationAt('POST', '{workspace_id}/imports').template, ids)
      const requests: HostileRequest[] = []
      for (const [name, file] of Object.entries(FILES)) {
        const answer = await fetch(`${url}${path}?object=people&file_name=x.csv`, {
          method: 'POST',
          headers: { ...browser.headers, 'Content-Type': 'text/csv' },
          body: file() as string,
        })
        const { data } = await answer.json()
        if (data === undefined) continue
        for (const end of ['preview', 'start', 'cancel']) {
          const operation = operationAt('POST', `{import_id}/${end}`)
          const of = pathOf(operation.template, { ...ids, import: data.id })
          for (const body of PLANS)
            requests.push(requestFor(attacked(), operation, `${name}, ${body.slice(0, 60)}`, { path: of, body }))
        }
      }
      expect(requests.length).toBeGreaterThan(100)
      expect(await attacked().faultsOf(requests)).toEqual([])
    },
    TIME,
  )
})
