import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SERVICE_TEXTS } from './service-texts'

test('the service has these messages', () => {
  const errors = readFileSync(join(import.meta.dir, '../../../server/base/errors/access.ts'), 'utf8')
  expect(SERVICE_TEXTS.filter((text) => !errors.includes(text))).toEqual([])
})
