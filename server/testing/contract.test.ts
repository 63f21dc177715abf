import { describe, expect, test } from 'bun:test'
import { checkAnswer, findOperation } from './contract'

describe('findOperation', () => {
  const cases: [method: string, path: string, id: string | undefined][] = [
    ['GET', '/v2/objects', 'listObjects'],
    ['GET', '/v2/objects/people', 'getObject'],
    ['POST', '/v2/objects/records/search', 'searchRecords'],
    ['POST', '/v2/objects/people/records/query', 'queryRecords'],
    ['GET', '/v2/objects/people/attributes/name', 'getAttribute'],
    ['GET', '/v2/lists/sales/attributes', 'listAttributes'],
    ['GET', '/v2/tasks/1/attributes', undefined],
    ['DELETE', '/v2/objects/people', 'deleteObject'],
    ['DELETE', '/v2/tasks', undefined],
  ]
  test.each(cases)('%s %s is %s', (method, path, id) => {
    expect(findOperation(method, path)?.id).toBe(id)
  })
})

describe('checkAnswer', () => {
  const envelope = { status_code: 404, type: 'invalid_request_error', code: 'not_found', message: 'No.' }

  test('accepts responses of the contract', () => {
    checkAnswer('GET', '/v2/objects', 200, { data: [] })
    checkAnswer('GET', '/v2/self', 200, { active: false })
    checkAnswer('GET', '/v2/objects', 404, envelope)
    checkAnswer('GET', '/v2/of-our-own', 200, 'anything')
  })

  const broken: [name: string, method: string, path: string, status: number, body: unknown][] = [
    ['a body of another shape', 'GET', '/v2/objects', 200, { data: [{}] }],
    ['a status that the contract does not have', 'GET', '/v2/objects', 201, { data: [] }],
    ['an error without the error body', 'GET', '/v2/of-our-own', 404, { message: 'No.' }],
    ['an error that names another status', 'GET', '/v2/objects', 400, envelope],
  ]
  test.each(broken)('refuses %s', (_, method, path, status, body) => {
    expect(() => checkAnswer(method, path, status, body)).toThrow()
  })
})
