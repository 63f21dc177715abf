import { beforeAll, describe, expect, test } from 'bun:test'
import { getAttribute, getObject } from '#engine/data-model/find'
import { useTestService } from '#testing/use-service'
import type { ConvertedRow } from '#transfer/import/convert/compile-row'
import { chooseIdentification } from '#transfer/import/match/identify'
import { openBackgroundContext, type BackgroundContext } from '#engine/entities/write/background-context'
import { prepareBatch } from './write-batch'
import type { WriteOptions } from './write-records'

const service = useTestService()
let importContext: BackgroundContext
let writeOptions: WriteOptions
beforeAll(async () => {
  importContext = await openBackgroundContext(service.db, service.workspaceId, service.appContext.now, () => 0)
  const { model } = importContext.context()
  const companies = getObject(model, 'companies')
  const identification = chooseIdentification(model, companies, {
    match: undefined,
    fallback: undefined,
    columns: new Map(),
  })
  writeOptions = {
    importContext,
    objectId: companies.id,
    identification,
    multiselectWriteOf: () => 'append',
    isDryRun: false,
  }
})

/** A company of a file. */
interface Company {
  readonly name: string
  readonly domain?: string
  readonly description?: string
}

function rowOf({ name, domain, description }: Company): ConvertedRow {
  const companies = getObject(importContext.context().model, 'companies')
  const assign = (slug: string, value: Record<string, string>) => ({
    attribute: getAttribute(companies, slug),
    values: [value],
  })
  const assignments = [
    assign('name', { value: name }),
    ...(domain === undefined ? [] : [assign('domains', { domain, root_domain: domain })]),
    ...(description === undefined ? [] : [assign('description', { value: description })]),
  ]
  return { line: 1, assignments, fillIfEmpty: [], problems: [] }
}

/** Prepares each batch before the previous one is written, as an import does. Returns the results of the rows. */
async function importBatches(...batches: readonly (readonly Company[])[]): Promise<string[][]> {
  const outcomes: string[][] = []
  let before: Awaited<ReturnType<typeof prepareBatch>> | undefined
  const writeBefore = async () => {
    if (before) outcomes.push((await before.write()).map(({ outcome }) => outcome).toSorted())
  }
  for (const companies of batches) {
    const next = await prepareBatch(writeOptions, companies.map(rowOf), before?.ownKeys ?? new Set())
    await writeBefore()
    before = next
  }
  await writeBefore()
  return outcomes
}

const named = (name: string) => ({ filter: { name: { value: name } } })
async function companiesNamed(name: string) {
  const { body } = await service.request('POST', '/v2/objects/companies/records/query', named(name))
  return body.data as { values: { description: { value: string }[]; domains: { domain: string }[] } }[] // the form of the API
}

describe('a batch that is prepared while the previous one is written', () => {
  test('matches the records of the previous batch, by unique value and by name', async () => {
    const outcomes = await importBatches(
      [{ name: 'Anvil', domain: 'anvil.example' }, { name: 'Bellows' }],
      [{ name: 'Anvil & Co', domain: 'anvil.example' }, { name: 'Bellows', description: 'Blows.' }, { name: 'Chisel' }],
    )
    expect(outcomes).toEqual([
      ['created', 'created'],
      ['created', 'updated', 'updated'],
    ])
    expect(await companiesNamed('Anvil')).toEqual([])
    expect(await companiesNamed('Anvil & Co')).toHaveLength(1)
    const [bellows, ...others] = await companiesNamed('Bellows')
    expect(others).toEqual([])
    expect(bellows?.values.description[0]?.value).toBe('Blows.')
  })

  test('matches the records of all earlier batches; the last row of a record wins', async () => {
    const versions = Array.from({ length: 4 }, (_, index) => [{ name: 'Drill', description: `${index}` }])
    expect(await importBatches(...versions)).toEqual([['created'], ['updated'], ['updated'], ['updated']])
    const [drill] = await companiesNamed('Drill')
    expect(drill?.values.description[0]?.value).toBe('3')
  })

  test('is prepared again when the data model has changed', async () => {
    const ready = await prepareBatch(writeOptions, [rowOf({ name: 'Edger' })], new Set())
    await service.request('POST', '/v2/objects/companies/attributes', {
      data: {
        title: 'Grade',
        description: '',
        api_slug: 'grade',
        type: 'text',
        is_required: false,
        is_unique: false,
        is_multiselect: false,
        config: {},
      },
    })
    expect(await ready.write()).toMatchObject([{ outcome: 'created' }])
    expect(await companiesNamed('Edger')).toHaveLength(1)
  })

  test('is written row by row when another writer took one of its unique values', async () => {
    const rows = [{ name: 'File', domain: 'file-gouge.com' }, { name: 'Gouge' }].map(rowOf)
    const ready = await prepareBatch(writeOptions, rows, new Set())
    const taken = { data: { values: { domains: ['file-gouge.com'] } } }
    expect(await service.request('POST', '/v2/objects/companies/records', taken)).toMatchObject({ status: 200 })
    const written = await ready.write()
    expect(written.map(({ outcome }) => outcome)).toEqual(['updated', 'created'])
    expect(await companiesNamed('File')).toMatchObject([{ values: { domains: [{ domain: 'file-gouge.com' }] } }])
  })

  test('is written row by row when a value cannot be written together with others', async () => {
    const ready = await prepareBatch(
      writeOptions,
      [rowOf({ name: 'Ham\u001fmer' }), rowOf({ name: 'Iron' })],
      new Set(),
    )
    expect((await ready.write()).map(({ outcome }) => outcome)).toEqual(['created', 'created'])
    expect(await companiesNamed('Ham\u001fmer')).toHaveLength(1)
  })
})
