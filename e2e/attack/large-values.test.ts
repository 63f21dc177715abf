/** The largest allowed values, pages and files hold the event loop no longer than others. */

import { describe, expect, test } from 'bun:test'
import { forThisFile } from '../support/service/service-per-file'
import { PATIENCE_MS } from '../support/until'
import { startAttacked } from './attacked'

const attacked = forThisFile(startAttacked)
const TIME = 3_600_000

/** Texts of 10 MB, whose characters take a different time to read and to render. */
const TEXTS: Readonly<Record<string, string>> = {
  ASCII: 'x'.repeat(10_000_000),
  'words with quotes and line breaks': 'some "quoted" words\n'.repeat(500_000),
  'three bytes a character': '€'.repeat(3_333_333),
}

/** Sends a request of the API and reads its response without keeping it. */
async function send(method: string, path: string, body?: string): Promise<{ status: number; beginning: string }> {
  const { url, key } = attacked()
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const response = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) })
  let beginning = ''
  for await (const chunk of response.body ?? []) beginning ||= new TextDecoder().decode(chunk.subarray(0, 500))
  return { status: response.status, beginning }
}

const pathOfRecords = () => `/v2/objects/${attacked().ids.object}/records`

const create = async (values: object) => {
  const { status, beginning } = await send('POST', pathOfRecords(), JSON.stringify({ data: { values } }))
  expect([status, status === 200 ? '' : beginning]).toEqual([200, ''])
  return /"record_id":"([^"]+)"/.exec(beginning)?.[1]
}

describe('does not hold the event loop', () => {
  test.each(Object.keys(TEXTS))(
    'for a text of 10 MB: %s',
    async (name) => {
      let id = await create({ text: TEXTS[name] })
      const { slownessOf } = attacked()
      const record = () => `${pathOfRecords()}/${id}`
      const update = JSON.stringify({ data: { values: { text: `${TEXTS[name]}!` } } })
      const query = JSON.stringify({ filter: { record_id: id } })
      const works: [string, () => Promise<unknown>][] = [
        ['create', async () => (id = await create({ text: TEXTS[name] }))],
        ['get', () => send('GET', record())],
        ['query', () => send('POST', `${pathOfRecords()}/query`, query)],
        ['update', () => send('PATCH', record(), update)],
        ['values', () => send('GET', `${record()}/attributes/text/values?show_historic=true`)],
      ]
      const faults: string[] = []
      for (const [about, work] of works) faults.push(...(await slownessOf(about, work)))
      expect(faults).toEqual([])
    },
    TIME,
  )

  test(
    'for pages and exports of many such texts',
    async () => {
      for (let n = 0; n < 12; n++) await create({ text: TEXTS['words with quotes and line breaks'], number: n })
      const path = pathOfRecords()
      const { slownessOf } = attacked()
      const faults = [
        ...(await slownessOf('offset', () => send('POST', `${path}/query`, '{}'))),
        ...(await slownessOf('cursor', () => send('POST', `${path}/query`, '{"cursor":null}'))),
        ...(await slownessOf('NDJSON', () => send('GET', `${path}/export`))),
        ...(await slownessOf('CSV', () => send('GET', `${path}/export?format=csv`))),
      ]
      expect(faults).toEqual([])
    },
    TIME,
  )

  test(
    'for an import that skips a million rows',
    async () => {
      const { url, browser, slownessOf } = attacked()
      const imports = `/workspaces/${browser.workspaceId}/imports`
      const file = `Name,Email\n${'a\n'.repeat(1_000_000)}`
      const work = async () => {
        const upload = await fetch(`${url}/console/api${imports}?object=people&file_name=x.csv`, {
          method: 'POST',
          headers: { ...browser.headers, 'Content-Type': 'text/csv' },
          body: file,
        })
        const { data } = await upload.json()
        const plan = { columns: { Name: 'name' }, match: null, fallback: 'none', overwrite: false, country: null }
        const started = await browser.ask('POST', `${imports}/${data.id}/start`, plan)
        expect(started.status).toBe(200)
        const deadline = Date.now() + PATIENCE_MS
        for (;;) {
          const { data: shown } = await browser.ask('GET', `${imports}/${data.id}`)
          if (shown.state === 'finished') return expect(shown.counts).toMatchObject({ skipped: 1_000_000 })
          if (shown.state === 'failed' || Date.now() > deadline) throw new Error(JSON.stringify(shown))
          await Bun.sleep(50)
        }
      }
      expect(await slownessOf('import', work)).toEqual([])
    },
    TIME,
  )
})
