/**
 * Finds and renders the options of a select and the statuses of a status attribute.
 * See docs/reference/values.md (Select) and docs/reference/objects-and-attributes.md (Option titles).
 */

import { isObject } from '#base/validation/shapes'
import { type Attribute, type Option, ModelVersionConflict } from '#engine/data-model/model'
import type { ColumnProperty } from '#engine/attribute-types/define'
import { byPosition, EXACT_OPERATORS, stringOperand } from './properties'
import { isUuid } from '#vocabulary/uuids'

/** Writes accept current options only; filters accept archived ones too. */
type Selection = 'current' | 'all'

type Names = Readonly<Record<Selection, ReadonlyMap<string, Option>>>

const namesOf = new WeakMap<Attribute, Names>()

/**
 * The option with this id; else with exactly this title; else the only one with this title and an emoji, so that `Won`
 * finds `Won 🎉`.
 */
export function findOption(attribute: Attribute, idOrTitle: string, selection: Selection): Option | undefined {
  const names = getNames(attribute)[selection]
  const text = idOrTitle.trim()
  return (isUuid(text) ? names.get(text.toLowerCase()) : undefined) ?? names.get(text)
}

/** The property of filters and sorts. A filter also accepts archived options. */
export const optionProperty = <const Column extends string>(
  column: Column,
  notFound: (attribute: Attribute, idOrTitle: string) => Error,
): ColumnProperty<Column> => ({
  source: 'column',
  column,
  operators: EXACT_OPERATORS,
  operand(raw, attribute) {
    const found = findOption(attribute, stringOperand(raw), 'all')
    if (!found) throw notFound(attribute, stringOperand(raw))
    return found.number
  },
  ranked: byPosition,
})

/** The option with a stored number. */
export function getOption({ api_slug, options }: Attribute, number: number | null): Option {
  const option = options.find((each) => each.number === number)
  if (!option) throw unknownNumber(api_slug, number)
  return option
}

export const currentTitles = ({ options }: Attribute): string[] =>
  options.filter((option) => !option.is_archived).map(({ title }) => title)

/** Renders each option once. Returns a function from a stored number to the text. */
export function renderOptions({ api_slug, options }: Attribute, render: (option: Option) => unknown) {
  const texts = new Map(options.map((option) => [option.number, JSON.stringify(render(option))]))
  return (number: number | null): string => {
    const text = texts.get(number ?? 0)
    if (text === undefined) throw unknownNumber(api_slug, number)
    return text
  }
}

/** A write names an option by title or id: bare, in the full form, or in the form of an answer. */
export const optionShorthand = (member: string, idMember: string) => (raw: unknown) => {
  if (typeof raw !== 'object') return { [member]: raw }
  const option = isObject(raw) ? raw[member] : undefined
  const id = isObject(option) ? option.id : undefined
  return isObject(id) && typeof id[idMember] === 'string' ? { [member]: id[idMember] } : raw
}

function getNames(attribute: Attribute): Names {
  const cached = namesOf.get(attribute)
  if (cached) return cached
  const { options } = attribute
  const names = { current: collectNames(options.filter((option) => !option.is_archived)), all: collectNames(options) }
  namesOf.set(attribute, names)
  return names
}

/** Ids take precedence over titles, and titles over titles without emoji. */
function collectNames(options: readonly Option[]): ReadonlyMap<string, Option> {
  const names = new Map<string, Option>()
  for (const [title, [first, second]] of Map.groupBy(options, (option) => withoutEmoji(option.title))) {
    if (first && !second && title !== '') names.set(title, first)
  }
  for (const option of options) names.set(option.title.trim(), option)
  for (const option of options) names.set(option.id, option)
  return names
}

const EMOJI = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u200d|\ufe0f|\u20e3/gu

const withoutEmoji = (title: string): string => title.replace(EMOJI, '').replace(/\s+/g, ' ').trim()

const unknownNumber = (slug: string, number: number | null) =>
  new ModelVersionConflict(`Attribute ${slug} has no option of number ${number}.`)
