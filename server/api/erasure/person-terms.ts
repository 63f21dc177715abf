/** What identifies a person: records, email addresses and names, and the pattern that finds these in texts. See docs/decisions/erasure.md. */

import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { normaliseAddress } from '#crm/mailboxes/email'
import type { Sql, Transaction } from '#db/connect'
import type { DataModel } from '#engine/data-model/model'
import { readAllTexts } from '#engine/storage/trash/purge'
import { invalidPersonAddress } from '#base/errors/records'
import {
  findPeopleByAddress,
  findPeopleObject,
  findSharedNames,
  type FoundPerson,
  type PersonName,
  readNames,
} from '#engine/storage/texts/people'
import type { TextPattern } from '#engine/storage/texts/text-tables'

export interface PersonTerms {
  /** In lower case. The first one is the address that was asked for. */
  readonly addresses: readonly string[]
  /** Names with a first and a last name that no other person and no member has. */
  readonly names: readonly PersonName[]
  /** Names that others have as well, as "first last" in lower case. They stay in texts. */
  readonly sharedNames: readonly string[]
  readonly people: readonly FoundPerson[]
}

/** Throws 400 for a text that is no email address. */
export async function findPersonTerms(sql: Transaction, model: DataModel, text: string): Promise<PersonTerms> {
  const address = normaliseAddress(text)
  if (address === undefined) throw invalidPersonAddress(text)
  const object = findPeopleObject(model)
  if (object === undefined) return { addresses: [address], names: [], sharedNames: [], people: [] }
  const people = await findPeopleByAddress(sql, model, object, address)
  const ids = people.map(({ id }) => id)
  const known = await readAllTexts(sql, model, { attribute: object.addresses, member: 'email_address' }, ids)
  const own: string[] = []
  for (const each of new Set(known)) if (await isOwn(each)) own.push(each)
  const names = (await readNames(sql, model, object, ids)).filter(isWhole)
  const shared = new Set([
    ...(await findSharedNames(sql, object, names, ids)),
    ...(await findMemberNames(sql, model.workspace.id, names)),
  ])
  const isShared = (name: PersonName) => shared.has(wholeName(name))
  return {
    addresses: [...new Set([address, ...own])],
    names: names.filter((name) => !isShared(name)),
    sharedNames: [...shared],
    people,
  }

  async function isOwn(each: string): Promise<boolean> {
    if (object === undefined || model.membersByEmail.has(each)) return false
    const others = await findPeopleByAddress(sql, model, object, each)
    return others.every(({ id, isTrashed }) => isTrashed || ids.includes(id))
  }
}

/** A name of one word would be found in too many texts. */
const isWhole = ({ first_name, last_name }: PersonName): boolean => first_name.trim() !== '' && last_name.trim() !== ''

const wholeName = ({ first_name, last_name }: PersonName): string => `${first_name} ${last_name}`.toLowerCase()

async function findMemberNames(
  sql: Sql | Transaction,
  workspaceId: string,
  names: readonly PersonName[],
): Promise<string[]> {
  if (names.length === 0) return []
  const members = await controlQueriesIn(sql)
    .selectFrom('relata.workspace_members')
    .select(['first_name', 'last_name'])
    .where('workspace_id', '=', workspaceId)
    .execute()
  const own = new Set(names.map(wholeName))
  return members.map(wholeName).filter((name) => own.has(name))
}

/** Both sets of terms. */
export const joinTerms = (one: PersonTerms, other: PersonTerms): PersonTerms => ({
  addresses: [...new Set([...one.addresses, ...other.addresses])],
  names: [...new Map([...one.names, ...other.names].map((name) => [wholeName(name), name])).values()],
  sharedNames: [...new Set([...one.sharedNames, ...other.sharedNames])],
  people: [...new Map([...one.people, ...other.people].map((person) => [person.id, person])).values()],
})

/**
 * The pattern that finds addresses and whole names in texts, JSON and URLs. An address is not found within a longer one. White space
 * between the words of a name can be of any length, and the last name can come first, with a comma.
 */
export function patternOf({ addresses, names }: Pick<PersonTerms, 'addresses' | 'names'>): TextPattern {
  const expressions = [...addresses.map(addressExpression), ...names.map(nameExpression)]
  const likes = [...addresses.map(addressLike), ...names.map(({ last_name }) => `%${like(last_name.trim())}%`)]
  return { expression: expressions.join('|'), likes }
}

/** After an escape of JSON or of a URL, a letter or a digit does not continue a word. */
const AFTER_ESCAPE = String.raw`(?<=\\[nrtbf])|(?<=%[0-9a-f][0-9a-f])`

function addressExpression(address: string): string {
  const at = address.lastIndexOf('@')
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)]
  return String.raw`(?:(?<![[:alnum:]_.+-])|${AFTER_ESCAPE})${literal(local)}(?:@|%40)${literal(domain)}(?![[:alnum:]_-]|\.[[:alnum:]])(?:${PARTS_OF_VALUE})*`
}

/** The members of JSON that follow the address of a stored or a rendered value, and have parts of it, without the last quote. */
const PARTS_OF_VALUE = (() => {
  const quote = String.raw`\\*"`
  const next = String.raw`${quote}\s*,\s*${quote}`
  const is = String.raw`${quote}\s*:\s*${quote}[^"\\]*`
  const original = String.raw`(?:original_email_address${quote}\s*:\s*null\s*,\s*${quote})?`
  return `${next}${original}(?:email_domain|email_root_domain|email_local_specifier)${is}`
})()

function nameExpression({ first_name, last_name }: PersonName): string {
  const space = String.raw`(?:\s|\\[nrt]|%20|\+)+`
  const words = (text: string) => text.trim().split(/\s+/).map(literal).join(space)
  const [first, last] = [words(first_name), words(last_name)]
  return String.raw`(?:(?<![[:alnum:]])|${AFTER_ESCAPE})(?:${first}${space}${last}|${last},(?:${space})?${first})(?![[:alnum:]])`
}

/**
 * Returns an expression that matches the text in both cases of its letters, whatever the collation, and as JSON escapes it. Characters that
 * are no letters and digits stand as their code, which PostgreSQL and JavaScript read alike.
 */
const literal = (text: string): string =>
  [...text]
    .map((character) => {
      const [lower, upper] = [character.toLowerCase(), character.toUpperCase()]
      if (lower !== upper && lower.length === 1 && upper.length === 1) return `[${lower}${upper}]`
      if (/^[\p{L}\p{M}\p{N}]$/u.test(character) || character.length > 1) return character
      const code = `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
      return character === '"' || character === '\\' ? String.raw`\\*${code}` : code
    })
    .join('')

/** A function that replaces the texts of a pattern as PostgreSQL does. */
export function textReplacer({ expression }: TextPattern, replacement: string): (text: string) => string {
  // Each repetition is of disjoint alternatives and ends at a character that it does not accept.
  // oxlint-disable-next-line relata/no-super-linear-regexp -- as above
  const compiled = new RegExp(expression.replaceAll('[[:alnum:]', String.raw`[\p{L}\p{N}`), 'giu')
  return (text) => text.replace(compiled, () => replacement)
}

function addressLike(address: string): string {
  const at = address.lastIndexOf('@')
  return `%${like(address.slice(0, at))}%${like(address.slice(at + 1))}%`
}

/** Characters that `lower` might not convert, white space and escapes match any text. */
const like = (text: string): string =>
  [...text.toLowerCase()].map((character) => (/^[a-z0-9.@-]$/.test(character) ? character : '%')).join('')
