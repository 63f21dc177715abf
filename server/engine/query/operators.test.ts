/**
 * Every operator of every field of every type, alone and as one of several values.
 * See docs/reference/query.md (Fields by type).
 */

import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestService } from '#testing/use-service'
import { createThreeThings, foundThings, type ThreeThings } from './testing/three-things'

const service = useTestService()
let made: ThreeThings
beforeAll(async () => {
  made = await createThreeThings(service.request, service.member)
})

const found = (filter: unknown) => foundThings(service.request, made, filter)

/** A filter, and the records of a, b and c that match, in the order of their creation. */
type Case = [filter: object, finds: string]

const opposite = ([filter, finds]: Case): Case => [
  { $not: filter },
  [...'abc'].filter((each) => !finds.includes(each)).join(''),
]

function cases(title: string, rows: () => Case[]): void {
  test(title, async () => {
    for (const row of rows().flatMap((each) => [each, opposite(each)])) {
      expect([row[0], await found(row[0])]).toEqual(row)
    }
  })
}

describe('POST /v2/objects/{object}/records/query, 200 by type', () => {
  cases('text', () => [
    [{ name: 'beta ÄÖ' }, 'b'],
    [{ name: 'Beta ÄÖ' }, ''],
    [{ name: { $eq: 'beta ÄÖ' } }, 'b'],
    [{ name: { value: 'beta ÄÖ' } }, 'b'],
    [{ name: { value: { $eq: 'beta ÄÖ' } } }, 'b'],
    [{ name: { $in: ['nothing', 'beta ÄÖ'] } }, 'b'],
    [{ name: { $in: [] } }, ''],
    [{ name: { $not_empty: true } }, 'ab'],
    [{ name: { value: { $not_empty: true } } }, 'ab'],
    [{ name: { $contains: 'ALPHA' } }, 'a'],
    [{ name: { $contains: 'L' } }, 'a'],
    [{ name: { $contains: 'äö' } }, 'b'],
    [{ name: { $contains: '' } }, 'ab'],
    [{ name: { $contains: '100%' } }, 'a'],
    [{ name: { $contains: '%' } }, 'a'],
    [{ name: { $contains: 'pha%it' } }, ''],
    [{ name: { $contains: 'of_it' } }, 'a'],
    [{ name: { $contains: 'ofxit' } }, ''],
    [{ name: { $contains: '\\ "' } }, 'a'],
    [{ name: { $starts_with: 'BETA' } }, 'b'],
    [{ name: { $starts_with: 'b' } }, 'b'],
    [{ name: { $starts_with: '%' } }, ''],
    [{ name: { $ends_with: '"X"' } }, 'a'],
    [{ name: { $ends_with: 'eta äÖ' } }, 'b'],
    [{ name: { $ends_with: '' } }, 'ab'],
    [{ name: { $starts_with: 'b', $ends_with: 'ö', $contains: 'eta' } }, 'b'],
    [{ name: { $starts_with: 'b', $ends_with: 'x' } }, ''],
  ])
  cases('unique text', () => [
    [{ code: 'A-1' }, 'a'],
    [{ code: { $in: ['a-1', 'A-1', 'x'] } }, 'ab'],
    [{ code: { $eq: 'a-1', $contains: 'A' } }, 'b'],
    [{ code: { $contains: 'A-1' } }, 'ab'],
  ])
  cases('record_id', () => [
    [{ record_id: made.ids.b }, 'b'],
    [{ record_id: made.ids.b?.toUpperCase() }, 'b'],
    [{ record_id: { $in: [made.ids.c, 'no id', made.ids.a] } }, 'ac'],
    [{ record_id: 'no id' }, ''],
    [{ record_id: { $starts_with: made.ids.a } }, 'a'],
    [{ record_id: { $ends_with: made.ids.a?.slice(-12) } }, 'a'],
    [{ record_id: { $not_empty: true } }, 'abc'],
  ])
  cases('number', () => [
    [{ amount: 1.5 }, 'a'],
    [{ amount: { $lt: 1.5 } }, 'b'],
    [{ amount: { $lte: 1.5 } }, 'ab'],
    [{ amount: { $gt: -2 } }, 'a'],
    [{ amount: { $gte: -2, $lt: 1 } }, 'b'],
    [{ amount: { value: { $gte: 1e300 } } }, ''],
    [{ amount: { $not_empty: true } }, 'ab'],
  ])
  cases('rating', () => [
    [{ stars: 4.5 }, 'b'],
    [{ stars: { $gt: 2 } }, 'b'],
    [{ stars: { $gte: 2 } }, 'ab'],
  ])
  cases('currency', () => [
    [{ price: 10.25 }, 'a'],
    [{ price: '10.2500' }, 'a'],
    [{ price: { currency_value: '10.25' } }, 'a'],
    [{ price: { $gte: '99999999999999999999.0001' } }, 'b'],
    [{ price: { $gt: '99999999999999999999.0001' } }, ''],
    [{ price: { currency_value: { $lt: 11, $gt: 10 } } }, 'a'],
  ])
  cases('checkbox', () => [
    [{ done: true }, 'a'],
    [{ done: false }, 'bc'],
    [{ done: { $eq: false } }, 'bc'],
    [{ done: { $not_empty: true } }, 'ab'],
  ])
  cases('date', () => [
    [{ day: '2024-02-29' }, 'a'],
    [{ day: '2024-02-29T23:59:00Z' }, 'a'],
    [{ day: { $gt: '2024-02-29' } }, 'b'],
    [{ day: { $gte: '2024-02' } }, 'ab'],
    [{ day: { $lt: '2024' } }, ''],
    [{ day: { value: { $lte: '2024-02-29' } } }, 'a'],
  ])
  cases('timestamp, to the nanosecond', () => [
    [{ moment: '2024-02-29T12:00:00.123456789Z' }, 'a'],
    [{ moment: '2024-02-29T13:00:00.123456788+01:00' }, 'b'],
    [{ moment: { $lt: '2024-02-29T12:00:00.123456789Z' } }, 'b'],
    [{ moment: { $lte: '2024-02-29T12:00:00.123456789Z' } }, 'ab'],
    [{ moment: { $gt: '2024-02-29T12:00:00.123456788Z' } }, 'a'],
    [{ moment: { $gte: '2024-02-29' } }, 'ab'],
    [{ moment: { $gte: '2024-02-29', $lt: '2024-03-01' } }, 'ab'],
    [{ created_at: { $gt: '2000-01-01T00:00:00Z' } }, 'abc'],
    [{ created_at: { $lt: '2000-01-01T00:00:00Z' } }, ''],
    [{ updated_at: { $gt: '2000-01-01T00:00:00Z' } }, 'abc'],
  ])
  cases('domain', () => [
    [{ site: 'blog.acme.com' }, 'a'],
    [{ site: 'HTTPS://Blog.Acme.com/other' }, 'a'],
    [{ site: { root_domain: 'acme.com' } }, 'a'],
    [{ site: { $in: ['example.com', 'x.org'] } }, 'b'],
    [{ site: { $contains: 'ACME' } }, 'a'],
    [{ site: { $starts_with: 'ex' } }, 'b'],
    [{ site: { $ends_with: '.com' } }, 'ab'],
    [{ site: { root_domain: { $not_empty: true } } }, 'ab'],
    [{ sites: 'example.co.uk' }, 'a'],
    [{ sites: { $in: ['acme.com', 'example.co.uk'] } }, 'ab'],
    [{ sites: { root_domain: 'acme.com' } }, 'ab'],
    [{ sites: { domain: 'blog.acme.com', root_domain: 'acme.com' } }, 'a'],
    [{ sites: { domain: 'example.co.uk', root_domain: 'acme.com' } }, ''],
    [{ $and: [{ sites: 'example.co.uk' }, { sites: { root_domain: 'acme.com' } }] }, 'a'],
    [{ sites: { $contains: 'blog' } }, 'a'],
    [{ sites: { $not_empty: true } }, 'ab'],
    [{ sites: { domain: { $not_empty: true } } }, 'ab'],
  ])
  cases('email-address', () => [
    [{ mail: 'ADA.L@mail.acme.com' }, 'a'],
    [{ mail: { normalized_email_address: 'ada.l@mail.acme.com' } }, 'a'],
    [{ mail: { email_domain: 'mail.acme.com' } }, 'a'],
    [{ mail: { email_domain: { $contains: 'EXAMPLE' } } }, 'b'],
    [{ mail: { email_root_domain: 'acme.com' } }, 'a'],
    [{ mail: { email_local_specifier: 'ada.l' } }, 'a'],
    [{ mail: { email_local_specifier: { $starts_with: 'B' } } }, 'b'],
    [{ mail: { $ends_with: '@example.com' } }, 'b'],
    [{ mail: { $not_empty: true } }, 'ab'],
    [{ mails: 'A@example.co.uk' }, 'a'],
    [{ mails: { $in: ['a@example.co.uk', 'bob@example.com'] } }, 'ab'],
    [{ mails: { email_domain: 'example.com' } }, 'b'],
    [{ mails: { email_domain: 'example.co.uk', email_local_specifier: 'a' } }, 'a'],
    [{ mails: { email_domain: 'example.co.uk', email_local_specifier: 'ada' } }, ''],
    [{ mails: { $eq: 'ada@mail.acme.com', $contains: 'co.uk' } }, ''],
    [{ mails: { $contains: 'co.uk' } }, 'a'],
  ])
  cases('phone-number', () => [
    [{ phone: '+14155550100' }, 'a'],
    [{ phone: '14155550100' }, 'a'],
    [{ phone: '(415) 555-0100' }, ''],
    [{ phone: { $starts_with: '+44' } }, 'b'],
    [{ phone: { $contains: '555' } }, 'a'],
    [{ phone: { $ends_with: '00' } }, 'a'],
    [{ phone: { $contains: 'abc' } }, ''],
    [{ phone: { $contains: '' } }, 'ab'],
    [{ phone: { country_code: 'US' } }, 'a'],
    [{ phone: { country_code: { $not_empty: true } } }, 'ab'],
    [{ phones: { country_code: 'GB' } }, 'ab'],
    [{ phones: '+442079460018' }, 'ab'],
    [{ phones: { phone_number: '+442079460018', country_code: 'US' } }, ''],
    [{ phones: { $contains: '415' } }, 'a'],
  ])
  cases('location', () => [
    [{ place: { locality: 'Paris' } }, 'ab'],
    [{ place: { locality: 'Paris', region: 'Texas' } }, 'a'],
    [{ place: { locality: { $contains: 'ARI' } } }, 'ab'],
    [{ place: { region: { $starts_with: 'î' } } }, 'b'],
    [{ place: { line_1: '1 Main St', line_2: 'Flat 2', line_3: 'L3', line_4: { $ends_with: '4' } } }, 'a'],
    [{ place: { postcode: { $contains: '54' } } }, 'a'],
    [{ place: { country_code: 'fr' } }, 'b'],
    [{ place: { country_code: { $starts_with: 'U' } } }, 'a'],
    [{ place: { line_1: { $not_empty: true } } }, 'a'],
    [{ place: { $not_empty: true } }, 'ab'],
  ])
  cases('select', () => [
    [{ color: 'Red' }, 'a'],
    [{ color: { $eq: 'Green' } }, 'b'],
    [{ color: { option: made.greenId } }, 'b'],
    [{ color: { option: { $in: ['Red', made.greenId] } } }, 'ab'],
    [{ color: { $not_empty: true } }, 'ab'],
    [{ color: { active_from: { $gt: '2000-01-01' } } }, 'ab'],
    [{ color: { active_from: { $lt: '2000-01-01T00:00:00Z' } } }, ''],
    [{ color: { option: 'Red', active_from: { $gte: '2000-01-01' } } }, 'a'],
    [{ colors: 'Blue' }, 'a'],
    [{ colors: { $in: ['Blue', 'Green'] } }, 'ab'],
    [{ colors: { $in: [] } }, ''],
    [{ colors: { $not_empty: true } }, 'ab'],
    [{ colors: { active_from: { $lte: '2999-01-01' } } }, 'ab'],
    [{ colors: { option: 'Blue', active_from: { $lte: '2999-01-01' } } }, 'a'],
  ])
  cases('status', () => [
    [{ state: 'Todo' }, 'a'],
    [{ state: 'Done' }, 'b'],
    [{ state: { status: 'Done 🎉' } }, 'b'],
    [{ state: { $in: ['Todo', 'Doing'] } }, 'a'],
    [{ state: { active_from: { $gt: '2000-01-01' } } }, 'ab'],
  ])
  cases('actor-reference', () => [
    [{ actor: { referenced_actor_type: 'workspace-member', referenced_actor_id: service.member.id } }, 'a'],
    [{ actor: { referenced_actor_type: { $eq: 'workspace-member' }, referenced_actor_id: service.member.id } }, 'a'],
    [{ actor: { referenced_actor_type: 'app', referenced_actor_id: service.member.id } }, ''],
    [{ actor: { referenced_actor_type: 'system', referenced_actor_id: null } }, ''],
    [{ actor: { referenced_actor_type: 'robot', referenced_actor_id: null } }, ''],
    [{ actor: { $not_empty: true } }, 'a'],
    [{ actors: { referenced_actor_type: 'workspace-member', referenced_actor_id: service.member.id } }, 'a'],
    [{ actors: { $not_empty: true } }, 'a'],
    [{ created_by: { referenced_actor_type: 'system', referenced_actor_id: null } }, ''],
    [{ created_by: { $not_empty: true } }, 'abc'],
  ])
  cases('record-reference', () => [
    [{ parent: made.ids.a }, 'b'],
    [{ parent: { target_record_id: made.ids.a } }, 'b'],
    [{ parent: { target_object: 'things', target_record_id: made.ids.a } }, 'b'],
    [{ parent: { target_object: 'companies' } }, ''],
    [{ parent: { $not_empty: true } }, 'b'],
    [{ others: { target_object: 'companies' } }, 'a'],
    [{ others: { target_object: 'person' } }, 'ab'],
    [{ others: { target_object: 'companies', target_record_id: made.personId } }, ''],
    [{ others: { target_object: 'people', target_record_id: { $in: [made.personId, made.companyId] } } }, 'ab'],
    [{ others: { target_record_id: { $in: [made.companyId] } } }, 'a'],
    [{ others: made.companyId }, 'a'],
    [{ others: { $not_empty: true } }, 'ab'],
  ])
})
