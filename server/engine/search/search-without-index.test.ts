import { beforeAll, describe, expect, test } from 'bun:test'
import { getObject } from '#engine/data-model/find'
import { importsOf } from '#testing/imports'
import { signedIn } from '#testing/people'
import { useTestService } from '#testing/use-service'
import { searchIndex } from './search-fields'

/** More records than a search without an index reads of the newest. */
const RECORDS = 6000

const service = useTestService()
beforeAll(async () => {
  const imports = importsOf(service, await signedIn(service))
  const rows = Array.from({ length: RECORDS }, (_, at) => `${nameOf(at)},site-${at}.com`)
  await imports.begin(['Company,Website', ...rows].join('\n'))
  await imports.runAll()
})

/** Every fifth company has an accent in its name, every seventh one no Latin letter. */
function nameOf(number: number): string {
  if (number % 7 === 0) return `Завод ${number}`
  return number % 5 === 0 ? `Café Nº${number} Société-Générale` : `Works ${number} O'Hara-Smith`
}

async function found(query: string, limit = 5): Promise<string[]> {
  const body = { query, objects: ['companies'], request_as: { type: 'workspace' }, limit }
  const answer = await service.request('POST', '/v2/objects/records/search', body)
  expect([answer.status, answer.body.message]).toEqual([200, undefined])
  return answer.body.data.map((hit: { record_text: string }) => hit.record_text)
}

describe('a search right after a large import, without a search index', () => {
  const numbers = [1, 5, 7, 2501, 2505, 5999]

  test.each(numbers)('finds record %d by its exact name', async (number) => {
    expect((await found(nameOf(number)))[0]).toBe(nameOf(number))
  })

  test.each([
    ['works 12', ["Works 12 O'Hara-Smith", "Works 1299 O'Hara-Smith", "Works 1298 O'Hara-Smith"]],
    ['завод 70', ['Завод 70', 'Завод 707', 'Завод 700']],
  ])('finds the newest records with words that begin with those typed: %s', async (query, hits) => {
    expect(await found(query, 3)).toEqual(hits)
  })

  test.each([
    ['ohara 2501', 2501],
    ['smith 2501', 2501],
    ['societe 2505', 2505],
    ['generale no2505', 2505],
    ['site-3456.com', 3456],
    ['site-3456', 3456],
  ])('finds a record by one of its words, or its domain: %s', async (query, number) => {
    expect((await found(query))[0]).toBe(nameOf(number))
  })

  test('finds the record with the exact name among many that begin with it', async () => {
    expect((await found(nameOf(2501).slice(0, 'Works 2501'.length)))[0]).toBe(nameOf(2501))
  })

  test('finds nothing for the middle of words, or for unknown words', async () => {
    expect(await found('orks 2501')).toEqual([])
    expect(await found('quagga')).toEqual([])
  })

  test('the search index was not built during these tests', async () => {
    const model = await service.appContext.models.reload(service.workspaceId)
    expect(model.indexes).not.toContain(searchIndex(getObject(model, 'companies')).name)
  })
})
