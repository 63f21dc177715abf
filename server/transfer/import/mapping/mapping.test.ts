import { describe, expect, test } from 'bun:test'
import { guessType } from './guess-type'
import { parseMapping, parsePairs, parseTarget, printMapping, renderTarget } from './mapping'
import { findDelimiter } from '#transfer/import/csv/csv'

describe('parseTarget', () => {
  test.each([
    ['name', { slug: 'name' }],
    ['primary_location.locality', { slug: 'primary_location', part: 'locality' }],
    ['stage:select', { slug: 'stage', type: 'select', isMultiselect: false }],
    ['tags:select[]', { slug: 'tags', type: 'select', isMultiselect: true }],
    ['raised:currency(EUR)', { slug: 'raised', type: 'currency', isMultiselect: false, currency: 'EUR' }],
    ['office.locality:location', { slug: 'office', part: 'locality', type: 'location', isMultiselect: false }],
    ['skip', null],
  ] as const)('%s', (text, target) => {
    expect(parseTarget(text)).toEqual(target)
    expect(renderTarget(target)).toBe(text)
  })

  test.each(['', 'a b', 'x:nothing', 'x:currency(XXX)', '9x:text', 'x:'])('refuses %p', (text) => {
    expect(() => parseTarget(text)).toThrow()
  })
})

describe('mapping files', () => {
  const mapping = {
    match: 'domains',
    columns: new Map([
      ['Headquarters (City)', parseTarget('primary_location.locality')],
      ['A "quoted": name', parseTarget('notes:text')],
      ['Secret', null],
    ]),
  }

  test('are read again after they were printed', () => expect(parseMapping(printMapping(mapping))).toEqual(mapping))

  test('may be JSON', () => {
    expect(parseMapping('{"columns": {"Name": "name"}}').columns).toEqual(new Map([['Name', { slug: 'name' }]]))
  })

  test.each(['', 'columns: 3', 'columns: {A: 3}', 'nothing: 1\ncolumns: {}', 'match: [a]\ncolumns: {}', '{'])(
    'refuses %p',
    (text) => {
      expect(() => parseMapping(text)).toThrow()
    },
  )

  test('pairs of a command line keep commas in names', () => {
    expect([...parsePairs('Website=domains, City, State=primary_location, Raised=raised:currency').keys()]).toEqual([
      'Website',
      'City, State',
      'Raised',
    ])
    expect(() => parsePairs('Website')).toThrow()
  })
})

const repeated = (values: readonly string[]) =>
  Array.from({ length: 12 }, (_, index) => values[index % values.length] ?? '')

describe('guessType', () => {
  test.each([
    ['text', false, ['A company that sells things, and buys others.', 'Another one.']],
    ['select', false, repeated(['Operating', 'Exited', 'Dead'])],
    ['select', true, repeated(['Music, Video', 'Video', 'Music, Games'])],
    ['currency', false, ['$1,200,000', 'undisclosed amount', '$5, $6']],
    ['number', false, ['1,000', '25', '']],
    ['number', false, ['2010', '2011']],
    ['date', false, ['2010-03-04', '4 March 2011']],
    ['timestamp', false, ['2010-03-04T10:00:00Z']],
    ['checkbox', false, ['yes', 'no', 'yes']],
    ['email-address', false, ['ada@talkable.com', 'bob@talkable.com']],
    ['phone-number', false, ['+1 212 555 1234', '+44 20 7946 0000']],
  ] as const)('%s, several: %p', (type, isMultiselect, sample) => {
    expect(guessType(sample)).toMatchObject({ type, isMultiselect })
  })

  test('names the currency', () => expect(guessType(['€5', '€6'])).toMatchObject({ currency: 'EUR' }))

  test('undefined for a column without values', () => expect(guessType(['', ' ', 'n/a'])).toBeUndefined())
})

test('findDelimiter returns the most frequent delimiter of the header', () => {
  expect(findDelimiter('a;b;c\n1,2;3;4')).toBe(';')
  expect(findDelimiter('"a;b;c",d\n')).toBe(',')
  expect(findDelimiter('"a;""b;c",d\n')).toBe(',')
  expect(findDelimiter('a,"b;c;d\n')).toBe(',')
  expect(findDelimiter('a\tb')).toBe('\t')
  expect(findDelimiter('name')).toBe(',')
})
