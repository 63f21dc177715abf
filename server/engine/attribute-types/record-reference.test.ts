import { describe, expect, test } from 'bun:test'
import { ModelVersionConflict } from '#engine/data-model/model'
import { attribute, COMPANIES, DEALS, EVERYTHING, id, PEOPLE, towards, USERS } from './testing/sample-model'
import { apiError, operand, read, RECORDS, refusal, store, write } from './testing/try-value'

const { company, person, user } = RECORDS
const anything = attribute('record-reference')

describe('record-reference', () => {
  test.each([
    ['by id', anything, { target_object: 'companies', target_record_id: company.id }, company],
    [
      'by object id and alias',
      anything,
      { target_object: COMPANIES.id, target_record_id: company.id.toUpperCase() },
      company,
    ],
    ['by an old name', anything, { target_object: 'company', target_record_id: company.id }, company],
    ['without object', towards(COMPANIES), { target_record_id: company.id }, company],
    ['by value', anything, { target_object: 'people', email_addresses: ['Ada@Relata.dev'] }, person],
    [
      'by full value',
      anything,
      { target_object: 'people', email_addresses: [{ email_address: 'ada@relata.dev' }] },
      person,
    ],
    ['by attribute id', anything, { target_object: 'companies', [id(321)]: ['https://relata.dev/'] }, company],
    ['by the id as an attribute', anything, { target_object: 'companies', record_id: [company.id] }, company],
    ['by value without object', towards(PEOPLE), { email_addresses: ['ada@relata.dev'] }, person],
    ['a domain', towards(COMPANIES), 'https://relata.dev', company],
    ['an address', towards(PEOPLE), ' ADA@relata.dev', person],
    ['a user_id that looks like an id', towards(USERS), user.key, user],
    ['an id of companies', towards(COMPANIES), company.id.toUpperCase(), company],
    ['an id of users', towards(USERS), user.id, user],
  ])('%s', async (_case, reference, raw, target) => {
    expect(await store(raw, reference)).toEqual({ target_object: target.object.number, target_record_id: target.id })
    const value = { target_object: target.object.api_slug, target_record_id: target.id }
    expect(await write(raw, reference)).toEqual(value)
    expect(await write({ ...value, attribute_type: 'record-reference', active_from: 'x' }, reference)).toEqual(value)
  })

  test.each([
    [anything, { target_object: 'companies', target_record_id: id(404) }, 'companies', id(404)],
    [anything, { target_object: 'people', email_addresses: ['eve@relata.dev'] }, 'people', 'eve@relata.dev'],
    [anything, { target_object: 'people', record_id: ['x'] }, 'people', 'x'],
    [towards(COMPANIES), 'nothing.dev', 'companies', 'nothing.dev'],
    [towards(EVERYTHING), id(404), 'everything', id(404)],
    [towards(EVERYTHING), 'not an id', 'everything', 'not an id'],
  ])('an unknown record is refused and not created', async (reference, raw, object, key) => {
    expect(await apiError(raw, reference)).toMatchObject({
      status: 400,
      code: 'value_not_found',
      message: `Cannot find record with ID or value "${key}" of object "${object}".`,
    })
  })

  test.each([
    [{ target_object: 'nothings', target_record_id: company.id }, 'value_not_found', 'slug/ID "nothings"'],
    [{ target_object: 'deals', target_record_id: company.id }, 'value_not_found', 'slug/ID "deals"'],
    [{ target_object: 'people', phone: ['1'] }, 'value_not_found', 'slug/ID "phone"'],
    [{ target_object: 'companies', note: ['x'] }, 'matching_attribute_definition_not_unique', '"note" is not unique'],
    [
      { target_object: 'people', met_at: ['2025'] },
      'matching_attribute_definition_not_unique',
      '"met_at" is not unique',
    ],
  ])('%j throws %s', async (raw, code, message) => {
    const error = await apiError(raw, anything)
    expect(error).toMatchObject({ status: 400, code })
    expect(error.message).toContain(message)
  })

  test.each([
    [anything, {}, ['target_object'], 'Required'],
    [anything, { target_object: 'people' }, ['target_record_id'], 'Required'],
    [anything, { target_object: 'people', target_record_id: 'x' }, ['target_record_id'], 'Invalid uuid'],
    [anything, { target_object: 5, target_record_id: id(1) }, ['target_object'], 'Expected string, received number'],
    [anything, { target_object: 'people', email_addresses: [] }, ['email_addresses'], 'exactly one value'],
    [
      anything,
      { target_object: 'people', email_addresses: ['a@relata.dev', 'b@relata.dev'] },
      ['email_addresses'],
      'exactly one',
    ],
    [anything, { target_object: 'people', email_addresses: 'a@relata.dev' }, ['email_addresses'], 'exactly one'],
    [
      anything,
      { target_object: 'people', email_addresses: ['x'] },
      ['email_addresses', 0, 'email_address'],
      'Invalid email',
    ],
    [anything, { target_object: 'users', user_id: [''] }, ['user_id', 0], 'empty value'],
    [anything, { target_object: 'people', email_addresses: ['a@relata.dev'], name: ['x'] }, [], 'one member besides'],
    [anything, 'relata.dev', [], 'Expected object, received string'],
    [towards(PEOPLE, COMPANIES), company.id, [], 'Expected object, received string'],
    [towards(DEALS), company.id, [], 'Expected object, received string'],
    [
      towards(PEOPLE),
      { target_object: 'companies', target_record_id: company.id },
      ['target_object'],
      'cannot refer to',
    ],
    [towards(COMPANIES), 'no domain', ['domain'], 'Invalid domain'],
    [anything, 5, [], 'Expected string | object, received number'],
  ])('%#: refused', async (reference, raw, path, message) => {
    const [issue] = await refusal(raw, reference)
    expect(issue?.path).toEqual(path)
    expect(issue?.message).toContain(message)
  })

  test('an unknown object means that the data model is outdated', () => {
    expect(() => read({ target_object: 99, target_record_id: id(1) }, anything)).toThrow(ModelVersionConflict)
  })

  test('operands are looked up', () => {
    expect(operand('person', anything, 'target_object')).toBe(PEOPLE.number)
    expect(() => operand('nothings', anything, 'target_object')).toThrow('slug/ID "nothings"')
    expect(operand(id(10).toUpperCase(), anything, 'target_record_id', '$in')).toBe(id(10))
    expect(() => operand('x', anything, 'target_record_id')).toThrow('Expected record ID')
  })
})
