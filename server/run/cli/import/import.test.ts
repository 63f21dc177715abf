import { describe, expect, test } from 'bun:test'
import { type ShownRecord } from '#testing/answer-shapes'
import { join } from 'node:path'
import { getAttribute, getObject } from '#engine/data-model/find'
import { runCommand, useFolder } from '#testing/command-line'
import { useTestService } from '#testing/use-service'
import { importCommand } from './command'

const STARTUPS = join(import.meta.dir, '../../../../e2e/data/startups.csv')

const service = useTestService()
const folder = useFolder()

/** Runs the command line and returns its output. */
async function run(...words: string[]): Promise<string> {
  return (await runCommand(service, importCommand, words)).join('\n')
}

let files = 0
async function csv(text: string): Promise<string> {
  const path = join(folder, `${++files}.csv`)
  await Bun.write(path, text)
  return path
}

type Values = ShownRecord['values']

/** Returns the values, as clients read them, of the records with this value in a column of the attribute. */
async function recordsWith(object: string, slug: string, member: string, value: string): Promise<Values[]> {
  const model = await service.appContext.models.reload(service.workspaceId)
  const owner = getObject(model, object)
  const column = `a_${getAttribute(owner, slug).number}_${member}`
  const rows = await service.db.sql.unsafe<{ id: string }[]>(
    `select id from ${owner.table} where $1 = any(array[]::text[] || ${column})`,
    [value],
  )
  const answers = await Promise.all(rows.map(({ id }) => service.request('GET', `/v2/objects/${object}/records/${id}`)))
  return answers.map(({ body }) => body.data.values)
}

async function companyNamed(name: string): Promise<Values> {
  const [found, ...others] = await recordsWith('companies', 'name', 'value', name)
  if (!found || others.length > 0) throw new Error(`There is not one company named ${name}.`)
  return found
}

const problemsOf = async (path: string) => (await Bun.file(`${path}.errors.csv`).text()).trim().split('\r\n').slice(1)

describe('import of the startups', () => {
  const everything = ['--create-attributes', '--create-options', '--errors']
  const toRun = () => run('companies', STARTUPS, ...everything, join(folder, 'startups.errors.csv'))

  test('prints what is missing and writes nothing unless it may create it', async () => {
    const said = await run('companies', STARTUPS)
    expect(said).toContain('Missing attribute "Amounts Raised", amounts_raised:currency(USD)')
    expect(said).toContain('Nothing was imported. Add --create-attributes and --create-options')
    const { body } = await service.request('GET', '/v2/objects/companies/attributes/amounts_raised')
    expect(body.code).toBe('not_found')
  })

  test('writes nothing in a dry run', async () => {
    const said = await run('companies', STARTUPS, ...everything, join(folder, 'dry.errors.csv'), '--dry-run')
    expect(said).toContain('688 rows read: 688 created, 0 updated, 0 unchanged, 0 skipped')
    expect(await recordsWith('companies', 'name', 'value', 'Curebit')).toEqual([])
  })

  test('creates all 688, with their values', async () => {
    expect(await toRun()).toContain('688 rows read: 688 created, 0 updated, 0 unchanged, 0 skipped')
    const curebit = await companyNamed('Curebit')
    expect(curebit.domains).toMatchObject([{ domain: 'talkable.com' }])
    expect(curebit.status).toMatchObject([{ option: { title: 'Operating' } }])
    expect(curebit.foundation_date).toMatchObject([{ value: '2010-01-01' }])
    expect(curebit.y_combinator_year).toMatchObject([{ value: 2011 }])
    expect(curebit.y_combinator_session).toMatchObject([{ option: { title: 'Winter' } }])
    expect(curebit.amounts_raised).toMatchObject([{ currency_value: 1_200_000, currency_code: 'USD' }])
    expect(curebit.primary_location).toMatchObject([
      { locality: 'San Francisco', region: 'California', country_code: 'US' },
    ])
    // The existing option is used, also when it differs in case.
    expect(curebit.categories?.map(({ option }) => option?.title)).toEqual([
      'E-commerce',
      'Analytics',
      'Internet',
      'Marketing',
      'Social Media',
    ])
    expect((await companyNamed('theDailyMuse')).amounts_raised).toMatchObject([{ currency_value: 7_300_000 }])
    const gazeHawk = await companyNamed('GazeHawk')
    expect(gazeHawk.amounts_raised).toEqual([])
    expect(gazeHawk.foundation_date).toEqual([])
  })

  test('keeps pages on other sites out of the domains', async () => {
    const found = await recordsWith('companies', 'twitter', 'value', 'https://twitter.com/nowbox')
    expect(found).toHaveLength(2)
    for (const { domains } of found) expect(domains).toEqual([])
  })

  test('changes nothing the second time', async () => {
    expect(await toRun()).toContain('688 rows read: 0 created, 0 updated, 688 unchanged, 0 skipped')
    const { schema, entityTypes } = await service.appContext.models.reload(service.workspaceId)
    const companies = entityTypes.find(({ api_slug }) => api_slug === 'companies')?.table
    const [history] = await service.db.sql.unsafe(`select count(*)::int as rows from ${schema}.history`)
    const [changed] = await service.db.sql.unsafe(
      `select count(*)::int as rows from ${companies} where version > 1 or updated_at <> created_at`,
    )
    expect([history?.rows, changed?.rows]).toEqual([0, 0])
  })
})

describe('import', () => {
  test('updates changed values, and adds to multiselects or overwrites them', async () => {
    const first = await csv('Name,Website,Categories\nOne,one.com,"Software, Music"\n')
    const second = await csv('Name,Website,Categories\nOne Inc,one.com,Video\n')
    expect(await run('companies', first)).toContain('1 created')
    expect(await run('companies', second)).toContain('0 created, 1 updated')
    expect(titlesOf(await companyNamed('One Inc'))).toEqual(['Video', 'Software', 'Music'])
    expect(await run('companies', second)).toContain('0 updated, 1 unchanged')
    expect(await run('companies', second, '--overwrite')).toContain('1 updated')
    expect(titlesOf(await companyNamed('One Inc'))).toEqual(['Video'])
  })

  test('combines rows of one file that match the same record', async () => {
    const path = await csv(
      'Name,Website,Description\nTwo,two.com,\nTwo,http://www.two.com,About two\nTwo,,\nThree,,Lone\nThree,,Lone\n',
    )
    const said = await run('companies', path)
    expect(said).toContain('5 rows read: 2 created, 1 updated, 2 unchanged, 0 skipped')
    expect(said).toContain('3 of them matched a record that an earlier row of the file created.')
    expect((await companyNamed('Two')).description).toMatchObject([{ value: 'About two' }])
  })

  test('imports control characters unchanged', async () => {
    const path = await csv('Name,Website,Description\nOdd,odd.com,"a\x1fb\x1e\x1d"\nEven,even.com,plain\n')
    expect(await run('companies', path)).toContain('2 created, 0 updated, 0 unchanged, 0 skipped')
    expect((await companyNamed('Odd')).description).toMatchObject([{ value: 'a\x1fb\x1e\x1d' }])
    expect(await run('companies', path)).toContain('0 created, 0 updated, 2 unchanged, 0 skipped')
  })

  test('skips bad rows with their lines, and leaves out bad values', async () => {
    const path = await csv(
      'Name,Website,Founded\n"Multi\nline",nonsense,2001\nShort,short.com\nGood,good.com,soon\n,,\nTwin,twin-a.com twin-b.com,\n',
    )
    const said = await run('companies', path)
    expect(said).toContain('4 rows read: 3 created, 0 updated, 0 unchanged, 1 skipped')
    expect(said).toContain('1 row was NOT imported.')
    expect(await problemsOf(path)).toEqual([
      '4,skipped,,,This row has 2 columns; the header has 3.',
      '2,left out,Website,nonsense,"""nonsense"" is not a website"',
      '5,left out,Founded,soon,"""soon"" is not a date that can only be one day; write it as YYYY-MM-DD"',
    ])
    const clash = await csv('Name,Website\nClash,"twin-a.com, good.com"\n')
    expect(await run('companies', clash)).toContain('1 skipped')
    expect((await problemsOf(clash))[0]).toContain('The values of ""domains"" belong to 2 records.')
  })

  test('continues where an import was interrupted', async () => {
    const rows = Array.from({ length: 40 }, (_, index) => `Cut ${index},cut-${index}.com`)
    const begun = await csv(['Name,Website', ...rows.with(15, 'too short')].join('\n'))
    const whole = await csv(['Name,Website', ...rows].join('\n'))
    // The second batch has a problem, which cannot be written to this path.
    const nowhere = join(begun, 'errors.csv')
    await expect(run('companies', begun, '--batch', '10', '--errors', nowhere)).rejects.toThrow('ENOTDIR')
    expect(await run('companies', whole, '--batch', '10')).toContain('21 created, 0 updated, 19 unchanged')
    expect(await run('companies', whole, '--batch', '10')).toContain('0 created, 0 updated, 40 unchanged')
  })

  test('runs beside another import and a change of the data model', async () => {
    const rows = Array.from({ length: 60 }, (_, index) => `Shared ${index},shared-${index}.com`)
    const path = await csv(['Name,Website', ...rows].join('\n'))
    const attribute = {
      title: 'New',
      description: null,
      api_slug: 'new',
      type: 'text',
      is_required: false,
      is_unique: false,
      is_multiselect: false,
      config: {},
    }
    const [one, other, { status }] = await Promise.all([
      run('companies', path, '--batch', '5'),
      run('companies', path, '--batch', '7'),
      service.request('POST', '/v2/objects/companies/attributes', { data: attribute }),
    ])
    const created = [one, other].map((said) => Number(/(\d+) created/.exec(said)?.[1]))
    expect([created[0]! + created[1]!, status]).toEqual([60, 200]) // a missing number makes the sum NaN
    expect([one, other].every((said) => said.includes(' 0 skipped'))).toBe(true)
  })

  test('refuses a file that ends inside quotes', async () => {
    const path = await csv('Name,Website\n"Never closed,x.com\n')
    await expect(run('companies', path)).rejects.toThrow('a closing quote is missing')
  })

  test('imports people with their names, and finds their companies by website', async () => {
    const path = await csv(
      'First Name,Last Name,Email,Company Website,Phone\nAda,Lovelace,Ada@Good.com,https://www.good.com,(212) 555-1234\nEve,,eve@good.com,absent.com,\n',
    )
    expect(await run('people', path, '--country', 'US')).toContain('2 created')
    const [values] = await recordsWith('people', 'email_addresses', 'email_address', 'ada@good.com')
    expect(values?.name).toMatchObject([{ full_name: 'Ada Lovelace', last_name: 'Lovelace' }])
    expect(values?.company).toMatchObject([{ target_object: 'companies' }])
    expect(values?.phone_numbers).toMatchObject([{ phone_number: '+12125551234' }])
    expect(await problemsOf(path)).toHaveLength(1)
    expect(await run('people', path, '--country', 'US')).toContain('0 created, 0 updated, 2 unchanged')
  })

  test('reports a missing required value', async () => {
    const path = await csv(`Deal,Stage,Owner\nBig,Lead,${service.member.email_address}\nSmall,Lead,\n`)
    expect(await run('deals', path)).toContain('1 created, 0 updated, 0 unchanged, 1 skipped')
    expect((await problemsOf(path))[0]).toContain('It has no value for ""owner"", which every record must have.')
  })

  test.each([
    ['an unknown column', ['--map', 'Nmae=name'], 'Did you mean "Name"?'],
    ['an unknown attribute', ['--map', 'Name=nmae'], 'Did you mean "name"?'],
    ['a read-only attribute', ['--map', 'Name=created_at'], 'which only the service can write'],
    ['a type that the attribute does not have', ['--map', 'Name=domains:text'], 'is domain[]'],
    ['two columns for one part of a value', ['--map', 'Name=name, Website=name'], 'go to the same part'],
    ['an attribute that does not match', ['--match', 'name'], 'is not a unique attribute'],
    ['an empty batch', ['--batch', '0'], '--batch must be a number'],
  ])('refuses %s', async (_, words, message) => {
    const path = await csv('Name,Website\nX,x.com\n')
    await expect(run('companies', path, ...words)).rejects.toThrow(message)
  })

  test('accepts several --column options, and uses the last one of each column', async () => {
    const path = await csv('A,B,C\nPaired,paired.com,Said twice\n')
    const pairs = ['--map', 'A=skip, B=domains', '--map', 'C=description', '--map', 'A=name']
    expect(await run('companies', path, ...pairs)).toContain('1 created')
    expect((await companyNamed('Paired')).description).toMatchObject([{ value: 'Said twice' }])
  })

  test('finds the records of earlier batches that rows refer to', async () => {
    const parent = await service.request('POST', '/v2/objects/companies/attributes', {
      data: {
        title: 'Parent',
        description: null,
        api_slug: 'parent',
        type: 'record-reference',
        is_required: false,
        is_unique: false,
        is_multiselect: false,
        config: { record_reference: { allowed_objects: ['companies'] } },
      },
    })
    expect(parent.status).toBe(200)
    // The record is two batches earlier, because the previous batch is still being written when the row is read.
    const rows = Array.from({ length: 30 }, (_, index) => `Child ${index},child-${index}.com,child-${index - 10}.com`)
    const path = await csv(['Name,Website,Parent', ...rows].join('\n'))
    expect(await run('companies', path, '--batch', '5')).toContain('30 created')
    expect(await problemsOf(path)).toHaveLength(10)
  })

  test('prints a mapping file that it reads', async () => {
    const path = await csv('Name,Website,Motto\nMapped,mapped.com,Onward and upward\n')
    const mapping = join(folder, 'mapping.yaml')
    await Bun.write(mapping, (await run('companies', path, '--print-mapping')).replace('motto:text', 'description'))
    expect(await run('companies', path, '--mapping', mapping)).toContain('1 created')
    expect((await companyNamed('Mapped')).description).toMatchObject([{ value: 'Onward and upward' }])
  })
})

const titlesOf = (values: Values) => values.categories?.map(({ option }) => option?.title)

describe('a file with more than 1000 columns', () => {
  test('is refused before anything is created', async () => {
    const header = Array.from({ length: 1001 }, (_, index) => `Column ${index}`).join(',')
    const words = ['companies', await csv(`${header}\n${header}`), '--create-attributes']
    await expect(run(...words)).rejects.toThrow('The file has more than 1000 columns')
  })
})
