import { describe, expect, test } from 'bun:test'
import type { TypeName } from '#vocabulary/data-model'
import type { Operator } from '#engine/attribute-types/define'
import { byMember } from './properties'
import { attributeType } from '#engine/attribute-types/registry'
import { ADA, attribute, BOB, model } from '#engine/attribute-types/testing/sample-model'
import { operand } from '#engine/attribute-types/testing/try-value'

const TEXT_OPERATORS: Operator[] = ['$eq', '$contains', '$starts_with', '$ends_with', '$not_empty']
const ORDERED: Operator[] = ['$eq', '$lt', '$lte', '$gt', '$gte', '$not_empty']

/**
 * The table of the reference; every type takes `$not_empty` besides. See docs/reference/query.md (Fields by type).
 */
const SEARCHED: [TypeName, string[], Operator[]][] = [
  ['text', ['value'], [...TEXT_OPERATORS, '$in']],
  ['number', ['value'], ORDERED],
  ['rating', ['value'], ORDERED],
  ['currency', ['currency_value'], ORDERED],
  ['checkbox', ['value'], ['$eq', '$not_empty']],
  ['date', ['value'], ORDERED],
  ['timestamp', ['value'], ORDERED],
  ['domain', ['domain', 'root_domain'], [...TEXT_OPERATORS, '$in']],
  ['email-address', ['email_address', 'normalized_email_address', 'email_domain', 'email_root_domain'], TEXT_OPERATORS],
  ['email-address', ['email_local_specifier'], TEXT_OPERATORS],
  ['phone-number', ['phone_number'], TEXT_OPERATORS],
  ['phone-number', ['country_code'], ['$eq', '$not_empty']],
  ['personal-name', ['full_name', 'first_name', 'last_name'], TEXT_OPERATORS],
  ['location', ['line_1', 'line_2', 'line_3', 'line_4', 'locality', 'region', 'postcode'], TEXT_OPERATORS],
  ['location', ['country_code'], ['$eq', '$starts_with', '$not_empty']],
  ['select', ['option'], ['$eq', '$in', '$not_empty']],
  ['status', ['status'], ['$eq', '$in', '$not_empty']],
  ['select', ['active_from'], ['$lt', '$lte', '$gt', '$gte']],
  ['status', ['active_from'], ['$lt', '$lte', '$gt', '$gte']],
  ['actor-reference', ['referenced_actor_type', 'referenced_actor_id'], ['$eq', '$not_empty']],
  ['record-reference', ['target_object'], ['$eq', '$not_empty']],
  ['record-reference', ['target_record_id'], ['$eq', '$in', '$not_empty']],
  ['interaction', ['owner_member_id', 'interaction_type'], ['$eq', '$not_empty']],
  ['interaction', ['interacted_at'], ORDERED],
]

describe('properties', () => {
  test.each(SEARCHED)('%s %j allows %j', (type, properties, operators) => {
    for (const name of properties) {
      expect(attributeType(type).properties[name]?.operators).toEqual(expect.arrayContaining(operators))
    }
  })

  test.each([...new Set(SEARCHED.map(([type]) => type))])('%s has no other properties', (type) => {
    const listed = SEARCHED.filter(([each]) => each === type).flatMap(([, properties]) => properties)
    expect(Object.keys(attributeType(type).properties).sort()).toEqual(listed.sort())
  })

  test.each(['number', 'rating', 'currency', 'date', 'timestamp', 'checkbox'] as const)(
    '%s does not allow $contains',
    (type) => {
      for (const { operators } of Object.values(attributeType(type).properties))
        expect(operators).not.toContain('$contains')
    },
  )

  test.each([
    ['text', 'value', 5],
    ['text', 'value', null],
    ['number', 'value', '5'],
    ['date', 'value', 2023],
    ['timestamp', 'value', 'soon'],
    ['domain', 'domain', ['relata.dev']],
    ['select', 'option', 5],
    ['select', 'active_from', 5],
    ['record-reference', 'target_record_id', {}],
    ['actor-reference', 'referenced_actor_id', 5],
  ] as const)('an operand of %s %s is not %j', (type, property, raw) => {
    expect(() => operand(raw, attribute(type), property)).toThrow()
  })

  test('members sort by email address', () => {
    expect(byMember(attribute('actor-reference'), model)).toEqual([ADA.actor, BOB.actor])
  })

  test('parts of an email address are computed from its column', () => {
    const { email_domain: domain, email_local_specifier: local } = attributeType('email-address').properties
    expect(domain).toMatchObject({ source: 'column', column: 'email_address' })
    expect(domain?.source === 'column' && domain.expression?.('a_1')).toBe("split_part(a_1, '@', 2)")
    expect(local?.source === 'column' && local.expression?.('a_1')).toBe("split_part(a_1, '@', 1)")
  })
})
