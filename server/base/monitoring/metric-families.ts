/** Metric families, as Prometheus defines them, and their text format. */

export type MetricFamily = NumberFamily | HistogramFamily

interface FamilyHead {
  readonly name: string
  readonly help: string
}

type Labels = Readonly<Record<string, string>>

export interface NumberFamily extends FamilyHead {
  readonly type: 'counter' | 'gauge'
  readonly samples: readonly { readonly labels: Labels; readonly value: number }[]
}

export interface HistogramFamily extends FamilyHead {
  readonly type: 'histogram'
  /** The upper bounds of the buckets. A further bucket has none. */
  readonly bounds: readonly number[]
  readonly samples: readonly HistogramSample[]
}

interface HistogramSample {
  readonly labels: Labels
  /** The observations of each bucket alone, not cumulated. */
  readonly counts: readonly number[]
  readonly sum: number
}

export const counter = (name: string, help: string, samples: NumberFamily['samples']): NumberFamily => ({
  name,
  help,
  type: 'counter',
  samples,
})

export const gauge = (name: string, help: string, samples: NumberFamily['samples']): NumberFamily => ({
  ...counter(name, help, samples),
  type: 'gauge',
})

/** The only sample of a family without labels. */
export const only = (value: number): NumberFamily['samples'] => [{ labels: {}, value }]

/** Renders families in the text format of Prometheus. */
export const renderFamilies = (families: readonly MetricFamily[]): string =>
  families
    .flatMap((family) => [
      `# HELP ${family.name} ${family.help}`,
      `# TYPE ${family.name} ${family.type}`,
      ...(family.type === 'histogram' ? family.samples.flatMap((sample) => histogramLines(family, sample)) : []),
      ...(family.type === 'histogram'
        ? []
        : family.samples.map(({ labels, value }) => line(family.name, labels, value))),
    ])
    .map((text) => `${text}\n`)
    .join('')

/** In Prometheus' format, each bucket also counts all smaller ones. */
function histogramLines({ name, bounds }: HistogramFamily, { labels, counts, sum }: HistogramSample): string[] {
  let total = 0
  const buckets = counts.map((count, index) => {
    total += count
    return line(`${name}_bucket`, { ...labels, le: String(bounds[index] ?? '+Inf') }, total)
  })
  return [...buckets, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, total)]
}

function line(name: string, labels: Labels, value: number): string {
  const rendered = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`)
  return `${name}${rendered.length > 0 ? `{${rendered.join(',')}}` : ''} ${renderNumber(value)}`
}

const escapeLabel = (text: string): string =>
  text.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`))

/** Whole numbers as they are, others with microseconds. */
const renderNumber = (value: number): string =>
  Number.isInteger(value) ? String(value) : String(Number(value.toFixed(6)))
