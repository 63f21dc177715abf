/** docs/export-format.md describes every file with its members, in their order. */

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { attributeTypes } from '#engine/attribute-types/registry'
import { fileNameOf } from '#run/cli/transfer/format'
import { CONTENT_FILES } from './content-files'
import { MODEL_FILES } from './model-files'

const FILES = [...Object.values(MODEL_FILES), ...Object.values(CONTENT_FILES)]

const page = readFileSync(join(import.meta.dir, '../../../../../docs/export-format.md'), 'utf8')

const membersIn = (section: string) => [...section.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name ?? '')

test('the page describes the files in the order in which they are read', () => {
  const described = [...page.matchAll(/^### (\S+\.ndjson)$/gm)].map(([, name]) => name)
  expect(described).toEqual(FILES.map(({ name }) => fileNameOf(name)))
})

test.each(FILES)('$name', ({ name, columns }) => {
  const [, rest = ''] = page.split(`### ${fileNameOf(name)}\n`)
  expect(membersIn(rest.split('\n### ')[0] ?? '')).toEqual(Object.keys(columns))
})

test('the page names the stored members of every attribute type', () => {
  for (const [type, { columns }] of Object.entries(attributeTypes)) {
    const line = page.split('\n').find((text) => text.startsWith(`| \`${type}\` `)) ?? ''
    expect([...line.matchAll(/`([\w-]+)`/g)].slice(1).map(([, member]) => member)).toEqual(Object.keys(columns))
  }
})
