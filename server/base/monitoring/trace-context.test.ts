import { expect, test } from 'bun:test'
import { fractionOf, newTraceId, parseTraceparent, renderTraceparent } from './trace-context'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'

test.each([
  [`00-${TRACE}-${SPAN}-01`, true],
  [` 00-${TRACE}-${SPAN}-00 `, false],
  [`00-${TRACE}-${SPAN}-03`, true],
  // A later version may have further parts.
  [`cc-${TRACE}-${SPAN}-01-what-the-future-will-be`, true],
])('%s', (header, isSampled) => expect(parseTraceparent(header)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled }))

test.each([
  null,
  undefined,
  '',
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01-further`,
  `00-${TRACE}-${SPAN}`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-1`,
  `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
])('%p is no trace', (header) => expect(parseTraceparent(header)).toBeUndefined())

test('the id of a trace has the fraction by which it is sampled', () => {
  for (const fraction of [0, 0.1, 0.5, 1 - 2 ** -52]) {
    const id = newTraceId(fraction)
    expect(id).toMatch(/^[0-9a-f]{32}$/)
    expect(fractionOf(id)).toBeCloseTo(fraction, 10)
  }
})

test('is rendered as version 00', () => {
  expect(renderTraceparent({ traceId: TRACE, spanId: SPAN, isSampled: true })).toBe(`00-${TRACE}-${SPAN}-01`)
  expect(renderTraceparent({ traceId: TRACE, spanId: SPAN, isSampled: false })).toBe(`00-${TRACE}-${SPAN}-00`)
})
