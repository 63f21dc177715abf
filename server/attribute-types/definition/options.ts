/**
 * Choosing among the options of a select or the statuses of a status attribute.
 * See docs/reference/values.md (Select) and docs/reference/objects-and-attributes.md (Option titles).
 */

import { type Attribute, type Option, OutdatedModelError } from '../../data-model/model'
import { isObject } from './shorthand'
import { isUuid } from '../formats/uuids'

/** Which options can be chosen: values are only written with current ones, but searched with archived ones too. */
type Choice = 'current' | 'all'

type Names = Readonly<Record<Choice, ReadonlyMap<string, Option>>>

const namesOf = new WeakMap<Attribute, Names>()

/**
 * The option with this id, or else this exact title; or else the only one that has it beside an emoji, so that `Won`
 * finds `Won 🎉`.
 */
export function findOption(attribute: Attribute, idOrTitle: string, choice: Choice): Option | undefined {
  const names = getNames(attribute)[choice]
  const text = idOrTitle.trim()
  return (isUuid(text) ? names.get(text.toLowerCase()) : undefined) ?? names.get(text)
}

/** The option a stored number stands for. */
export function getOption({ api_slug, options }: Attribute, number: number | null): Option {
  const option = options.find((each) => each.number === number)
  if (!option) throw unknownNumber(api_slug, number)
  return option
}

export const currentTitles = ({ options }: Attribute): string[] =>
  options.filter((option) => !option.is_archived).map(({ title }) => title)

/** Makes the text of every option once; gives that of a stored number. */
export function renderOptions({ api_slug, options }: Attribute, render: (option: Option) => unknown) {
  const texts = new Map(options.map((option) => [option.number, JSON.stringify(render(option))]))
  return (number: number | null): string => {
    const text = texts.get(number ?? 0)
    if (text === undefined) throw unknownNumber(api_slug, number)
    return text
  }
}

/** Options are written by title or id: bare, in the full form, or within the whole option as it is read. */
export const optionShorthand = (member: string, idMember: string) => (raw: unknown) => {
  if (typeof raw !== 'object') return { [member]: raw }
  const option = isObject(raw) ? raw[member] : undefined
  const id = isObject(option) ? option.id : undefined
  return isObject(id) && typeof id[idMember] === 'string' ? { [member]: id[idMember] } : raw
}

function getNames(attribute: Attribute): Names {
  const known = namesOf.get(attribute)
  if (known) return known
  const { options } = attribute
  const names = { current: collectNames(options.filter((option) => !option.is_archived)), all: collectNames(options) }
  namesOf.set(attribute, names)
  return names
}

/** Titles win over titles without emoji, and ids over both. */
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
  new OutdatedModelError(`Attribute ${slug} has no option of number ${number}.`)
