import { describe, expect, test } from 'bun:test'
import { type Choice, choicesAt, matching, targetOfChoice, type Trail } from './attribute/choices'
import { type Condition, conditionsOf, type Segment } from './filter-tree'
import { comparedAttribute, comparedEntityType, type FilteredTable, pathTitles } from './paths'
import { readFilter } from './read-filter'
import { mills, visits } from './testing/sample-table'
import { writeFilter } from './write-filter'

/** Every attribute that the picker offers, at the end of all references that it follows. */
function allChoices(table: FilteredTable, trail?: Trail): readonly Choice[] {
  return (choicesAt(table, trail) ?? []).flatMap((choice) =>
    choice.opens ? allChoices(table, { segments: choice.segments, object: choice.opens }) : [choice],
  )
}

function conditionOf({ attribute, segments }: Choice): Condition {
  if (!attribute) throw new Error('The choice leads to another object.')
  return { ...targetOfChoice(attribute, segments), field: null, operator: '$eq', operand: 'x', isNegated: false }
}

const idsOf = ([slug, name]: Segment): Segment => [`id of ${slug}`, `id of ${slug}.${name}`]

/** As a saved view has it. */
const withIds = ({ path, attribute, ...rest }: Condition, slug: string): Condition =>
  path
    ? { ...rest, path: path.map(idsOf), attribute: idsOf(path.at(-1) ?? ['', ''])[1] }
    : { ...rest, attribute: `id of ${slug}.${attribute}` }

describe.each([
  ['a list', visits],
  ['an object', mills],
])('the attributes that a filter of %s can name', (_, table) => {
  const choices = allChoices(table)

  test('the picker follows references as far as the API does', () => {
    const lengths = new Set(choices.map(({ segments }) => segments.length))
    expect([...lengths].toSorted()).toEqual([1, 2, 3, 4, 5])
  })

  test('each begins at the table and names an attribute of each object in turn', () => {
    for (const { segments } of choices) {
      expect(segments[0]?.[0]).toBe(table.entityType.slug)
      for (const [slug, name] of segments.slice(1)) {
        expect(table.attributesOf(slug)?.map(({ api_slug }) => api_slug)).toContain(name)
      }
    }
  })

  test('each is written as a filter that is read as the same condition', () => {
    for (const condition of choices.map(conditionOf)) {
      for (const one of [condition, withIds(condition, table.entityType.slug)]) {
        const filter = writeFilter({ join: '$and', parts: [one] })
        const tree = readFilter(filter)
        expect(tree && writeFilter(tree)).toEqual(filter)
        expect(tree && conditionsOf(tree)).toEqual([one])
      }
    }
  })

  test('each is found again, with the same words, by slugs and by ids', () => {
    for (const choice of choices) {
      const condition = conditionOf(choice)
      const saved = withIds(condition, table.entityType.slug)
      expect(comparedAttribute(table, condition)).toBe(choice.attribute)
      expect(comparedAttribute(table, saved)).toBe(choice.attribute)
      expect(comparedEntityType(table, saved)).toEqual(comparedEntityType(table, condition))
      expect(pathTitles(table, saved)).toEqual(pathTitles(table, condition))
    }
  })
})

describe('the attributes of parent records', () => {
  const own = choicesAt(visits, undefined) ?? []

  test('are choices beside those of the list, in a group of their own', () => {
    expect(own.map(({ group, label }) => `${group}: ${label}`)).toEqual([
      'In this table: Title of note',
      'In this table: Mill → Title of looms',
      'Other attributes: Title of parent_record',
      'Mill: Title of looms',
      'Mill: Title of owner',
      'Mill: Title of owner (Mill) → …',
      'Mill: Title of owner (Person) → …',
      'Mill: Title of owner (Company) → …',
    ])
    expect(new Set(own.map(({ id }) => id)).size).toBe(own.length)
  })

  test('are found by their title and named after their object', () => {
    const [first] = matching(own, 'mill looms')
    expect(first && conditionOf(first).path).toEqual([
      ['visits', 'parent_record'],
      ['mills', 'looms'],
    ])
    expect(first && pathTitles(visits, conditionOf(first))).toEqual(['Mill'])
  })

  test('are absent while they are loading', () => {
    const loading = { ...visits, attributesOf: () => undefined }
    expect(choicesAt(loading, undefined)?.map(({ label }) => label)).toEqual([
      'Title of note',
      'Title of parent_record',
    ])
  })
})

test('a path may lead to an activity, and an attribute that allows all objects leads to none', () => {
  const ends = allChoices(mills).map(conditionOf)
  const kinds = ends.filter(({ attribute }) => attribute === 'outcome').map((one) => comparedEntityType(mills, one))
  expect(kinds[0]).toEqual({ kind: 'activities', slug: 'calls' })
  const ofOwner = choicesAt(mills, undefined)?.flatMap(({ opens }) => opens?.api_slug ?? [])
  expect(ofOwner).toEqual(['mills', 'people', 'companies'])
})
