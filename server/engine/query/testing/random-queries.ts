/** Random filters and sorts over what `random-things.ts` makes. See docs/reference/query.md. */

import fc from 'fast-check'
import type { EvaluatedFilter, EvaluatedSort } from './evaluator'
import { amount, day, host, mail, moment, phone, stars, word } from './random-things'
import { COLORS, STATES } from './things'

type Constraints = Readonly<Record<string, fc.Arbitrary<unknown>>>

const RANGE = ['$eq', '$lt', '$lte', '$gt', '$gte']
const PARTS = ['$eq', '$contains', '$starts_with', '$ends_with']

const oneOf = (operators: string[], operand: fc.Arbitrary<unknown>) =>
  fc.dictionary(fc.constantFrom(...operators), operand, { minKeys: 1, maxKeys: 2 })

export const present = fc.constant({ $not_empty: true })

export const range = (operand: fc.Arbitrary<unknown>) => fc.oneof(operand, oneOf(RANGE, operand), present)

const parts = (operand: fc.Arbitrary<unknown>, part: fc.Arbitrary<unknown> = operand) =>
  fc.oneof(
    operand,
    oneOf(PARTS.slice(1), part),
    fc.record({ $eq: operand }),
    fc.record({ $in: fc.array(operand, { maxLength: 4 }) }),
    present,
  )

const fields = (members: Constraints) =>
  fc.record(members, { requiredKeys: [] }).filter((made) => Object.keys(made).length > 0)

const title = (titles: string[]) =>
  fc.oneof(fc.constantFrom(...titles), fc.record({ $in: fc.array(fc.constantFrom(...titles)) }), present)

/** The time since which the value of a select or status is active. */
export const since = (instant: fc.Arbitrary<string>) => fc.record({ active_from: oneOf(RANGE.slice(1), instant) })

const hostPart = fc.constantFrom('a', '.com', 'x.', 'A.C', 'co.uk', 'z')
const hosts = parts(host, hostPart)
const phonePart = fc.constantFrom('+1', '+44', '0100', '55', '19')

/** The possible constraints on each attribute. */
export const CONSTRAINTS: Constraints = {
  name: parts(word),
  amount: range(amount),
  stars: range(stars),
  price: range(amount),
  done: fc.oneof(fc.boolean(), fc.record({ $eq: fc.boolean() }), present),
  day: range(day),
  moment: range(moment),
  site: fc.oneof(hosts, fields({ root_domain: hosts, domain: hosts })),
  sites: fc.oneof(hosts, fields({ root_domain: fc.constantFrom('a.com', 'b.com', 'a.co.uk'), domain: hosts })),
  mail: fc.oneof(
    parts(mail, hostPart),
    fields({
      email_domain: host,
      email_root_domain: host,
      email_local_specifier: oneOf(PARTS, fc.constantFrom('a', 'b', 'ab')),
    }),
  ),
  phone: parts(phone, phonePart),
  phones: fc.oneof(
    parts(phone, phonePart),
    fields({ country_code: fc.constantFrom('US', 'GB'), phone_number: oneOf(PARTS, phone) }),
  ),
  place: fc.oneof(
    present,
    fields({
      locality: fc.oneof(word, oneOf(PARTS, word), present),
      region: fc.oneof(word, present),
      country_code: fc.constantFrom('US', 'FR'),
    }),
  ),
  color: title(COLORS),
  colors: title(COLORS),
  state: title(STATES),
  parent: present,
}

/** A constraint on one attribute. */
export const conditionOn = (constraints: Constraints): fc.Arbitrary<EvaluatedFilter> =>
  fc
    .constantFrom(...Object.keys(constraints))
    .chain((slug) => (constraints[slug] ?? present).map((constraint) => ({ [slug]: constraint })))

/** A condition at the end of one of the paths, which lead to things. */
export const pathOver = (ways: fc.Arbitrary<readonly (readonly [string, string])[]>): fc.Arbitrary<EvaluatedFilter> =>
  fc.tuple(ways, conditionOn(CONSTRAINTS)).map(([way, last]) => {
    const [[slug, constraints] = ['', {}]] = Object.entries(last)
    return { path: [...way, ['things', slug]], constraints }
  })

/** Any filter made of conditions and paths. */
export const filterOf = (
  condition: fc.Arbitrary<EvaluatedFilter>,
  path: fc.Arbitrary<EvaluatedFilter>,
): fc.Arbitrary<EvaluatedFilter> =>
  fc.letrec<{ filter: EvaluatedFilter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      condition,
      path,
      fc.record({ $and: fc.array(tie('filter'), { maxLength: 3 }) }),
      fc.record({ $or: fc.array(tie('filter'), { maxLength: 3 }) }),
      fc.record({ $not: tie('filter') }),
      fc.tuple(condition, tie('filter')).map(([one, other]) => ({ ...one, ...other })),
    ),
  })).filter

const SORTABLE: Readonly<Record<string, readonly string[]>> = {
  name: ['value'],
  amount: [],
  stars: [],
  price: [],
  done: [],
  day: [],
  moment: [],
  sites: ['root_domain'],
  mail: ['email_domain'],
  phones: ['country_code'],
  place: ['locality', 'region', 'country_code'],
  color: [],
  colors: [],
  state: [],
}

const sortable = fc.constantFrom(...Object.keys(SORTABLE)).chain((attribute) => {
  const names = SORTABLE[attribute] ?? []
  const field =
    names.length === 0
      ? fc.constant(undefined)
      : attribute === 'place'
        ? fc.constantFrom(...names)
        : fc.option(fc.constantFrom(...names), { nil: undefined })
  return fc.record({ attribute: fc.constant(attribute), field })
})

const direction = fc.constantFrom('asc' as const, 'desc' as const)

/** A sort by an attribute of the queried entities, such as `idSlug`, or by one at the end of a path to things. */
export const sortOf = (idSlug: string, ways: fc.Arbitrary<readonly (readonly [string, string])[]>) =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(sortable, direction).map(([what, direction]): EvaluatedSort => ({ ...what, direction })),
    },
    { weight: 1, arbitrary: direction.map((direction): EvaluatedSort => ({ attribute: idSlug, direction })) },
    {
      weight: 3,
      arbitrary: fc.tuple(ways, sortable, direction).map(([way, { attribute, field }, direction]): EvaluatedSort => ({
        path: [...way, ['things', attribute]],
        field,
        direction,
      })),
    },
  )
