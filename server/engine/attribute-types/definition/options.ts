/**
 * Finds and renders the options of a select and the statuses of a status attribute.
 * See docs/reference/values.md (Select) and docs/reference/objects-and-attributes.md (Option titles).
 */

import { isObject } from '#base/validation/shapes'
import { type Attribute, ModelVersionConflict, type Option } from '#engine/data-model/model'
import type { ColumnProperty, Stored } from '#engine/attribute-types/define'
import { activeFrom, byPosition, EXACT_OPERATORS, stringOperand } from './properties'
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

type OptionMember = 'option' | 'status'

/** The error for a text that is neither the id nor a title of an option. */
type UnknownOption = (slug: string, idOrTitle: string, titles: string[]) => Error

/** What the definitions of select and status have alike. A value is the number of its option. */
export function optionMembers<Member extends OptionMember>(member: Member, unknownOption: UnknownOption) {
  type Value = Stored<Record<Member, 'int'>>
  const valueOf = <T>(content: T) => ({ [member]: content }) as Record<Member, T> // its only member
  const find = (attribute: Attribute, idOrTitle: string, selection: Selection): Option => {
    const option = findOption(attribute, idOrTitle, selection)
    if (!option) throw unknownOption(attribute.api_slug, idOrTitle, currentTitles(attribute))
    return option
  }
  return {
    shorthand: optionShorthand(member),
    resolve: (idOrTitle: string, attribute: Attribute): Value =>
      valueOf(find(attribute, idOrTitle, 'current').number) as Value, // an int is a number
    columns: valueOf('int' as const),
    key: (stored: Value) => String(stored[member]),

    sql: { form: 'option', column: member },
    template: (stored: Value, attribute: Attribute) => valueOf(getOption(attribute, stored[member]).id),

    properties: { ...valueOf(optionProperty(member, find)), active_from: activeFrom },
    defaultProperty: member,
    defaultSort: member,
  } as const
}

/** A write names an option by title or id: bare, in the full form, or in the form of an answer. */
const optionShorthand = (member: OptionMember) => (raw: unknown) => {
  if (typeof raw !== 'object') return { [member]: raw }
  const option = isObject(raw) ? raw[member] : undefined
  const id = isObject(option) ? option.id : undefined
  const idMember = `${member}_id`
  return isObject(id) && typeof id[idMember] === 'string' ? { [member]: id[idMember] } : raw
}

/** The property of filters and sorts. A filter also accepts archived options. */
const optionProperty = <const Column extends string>(
  column: Column,
  find: (attribute: Attribute, idOrTitle: string, selection: Selection) => Option,
): ColumnProperty<Column> => ({
  source: 'column',
  column,
  operators: EXACT_OPERATORS,
  operand: (raw, attribute) => find(attribute, stringOperand(raw), 'all').number,
  ranked: byPosition,
})

/** The option with a stored number. */
function getOption({ api_slug, options }: Attribute, number: number | null): Option {
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
