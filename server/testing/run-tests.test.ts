import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './run-bun'
import { countResults, failedTests, slowestTests, SLOWEST_FILES } from './run-tests'

const report = (counts: string) =>
  `<?xml version="1.0"?>\n<testsuites name="bun test" ${counts} time="1.2">\n</testsuites>`

test.each([
  [report('tests="12" assertions="30" failures="0" skipped="0"'), 0, { passed: 12, failed: 0 }],
  [report('tests="12" assertions="30" failures="2" skipped="1"'), 1, { passed: 9, failed: 2 }],
  [report('tests="12" assertions="30" failures="0" skipped="0"'), 1, { passed: 12, failed: 1 }],
  ['', 1, { passed: 0, failed: 1 }],
])('countResults %#', (text, exitCode, expected) => expect(countResults(text, exitCode)).toEqual(expected))

test.each(Object.keys(SLOWEST_FILES))('%s exists', (file) => expect(existsSync(join(ROOT, file))).toBe(true))

test('slowestTests returns at most twenty tests, the slowest first', () => {
  const cases = Array.from(
    { length: 30 },
    (_, n) => `<testcase name="case ${n}" classname="x" time="${n}.25" file="a.test.ts" />`,
  )
  const slowest = slowestTests(`<testsuites>${cases.join('')}</testsuites>`)
  expect(slowest).toHaveLength(20)
  expect(slowest[0]).toBe('  29.3 s  a.test.ts: case 29')
})

test('failedTests returns files, names and messages, and no test that passed', () => {
  const cases = [
    '<testcase name="passes" file="a.test.ts" />',
    '<testcase name="a &gt; &quot;b&quot;" file="b.test.ts" line="3">\n<failure type="E" message="x">expected &lt;1&gt;&#10;at b</failure>\n</testcase>',
    '<testcase name="passes too" file="b.test.ts" line="4" />',
  ]
  expect(failedTests(cases.join('\n'))).toEqual([
    { file: 'b.test.ts', title: 'b.test.ts: a > "b"', text: 'expected <1>\nat b' },
  ])
})
