/** Numbers, periods, durations and words of emails as text, in a language. */

import type { Language } from '#vocabulary/languages'
import type { PeriodTexts } from '#vocabulary/chart-groups'
import { textOfCell } from '#vocabulary/sql-cells'

export type EmailTexts = ReturnType<typeof textsIn>

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

export function textsIn(language: Language) {
  const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 10 })
  const compact = new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 2 })
  const shares = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 })
  const days = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' })
  const months = new Intl.DateTimeFormat(language, { month: 'short', year: 'numeric', timeZone: 'UTC' })
  const words = WORDS[language]

  /** Whole amounts have no decimals. */
  function moneyText(amount: number, code: string | null): string {
    if (code === null) return numbers.format(amount)
    const format = new Intl.NumberFormat(language, {
      style: 'currency',
      currency: code,
      trailingZeroDisplay: 'stripIfInteger',
    })
    return format.format(amount)
  }

  const periods: PeriodTexts = { dayText: days.format, weekText: words.weekOf, monthText: months.format }

  /** A duration in its largest unit. */
  function durationText(seconds: number | null): string {
    if (seconds === null) return '–'
    const [unit, size] = UNITS.find(([, size]) => seconds >= size) ?? (['second', 1] as const)
    const maximumFractionDigits = seconds / size < 10 ? 1 : 0
    return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits }).format(
      seconds / size,
    )
  }

  /** A cell of a result of SQL, with times in a time zone. */
  function cellTextIn(timeZone: string): (value: unknown, type: string) => string {
    const instants = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone })
    const textWith = (format: Intl.DateTimeFormat) => (text: string) => {
      const date = new Date(text.length === 10 ? `${text}T00:00:00Z` : text)
      return Number.isNaN(date.getTime()) ? text : format.format(date)
    }
    const times = { dayText: textWith(days), instantText: textWith(instants) }
    return (value, type) => textOfCell(value, type, times)
  }

  return {
    language,
    words,
    numberText: (value: number): string => numbers.format(value),
    compactText: (value: number): string => compact.format(value),
    shareText: (share: number): string => shares.format(share),
    moneyText,
    periods,
    durationText,
    cellTextIn,
    /** The day and the time of an instant in a time zone. */
    instantIn: (timeZone: string, epochMs: number): string =>
      new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'short', timeZone }).format(epochMs),
  }
}

const ENGLISH = {
  entries: 'entries',
  /** The plural of an object within a sentence. */
  noun: (plural: string) => plural.toLowerCase(),
  without: 'None',
  others: 'Others',
  measure: 'Measure',
  value: 'Value',
  functions: { sum: 'Sum', average: 'Average', min: 'Smallest', max: 'Largest' } as Readonly<Record<string, string>>,
  numberOf: (noun: string) => `Number of ${noun}`,
  of: (name: string, title: string) => `${name} of ${title}`,
  weekOf: (day: string) => `Week of ${day}`,
  gone: 'What this chart shows does not exist any more.',
  noMatch: (noun: string) => `No ${noun} match.`,
  latestGroups: (count: number) => `Shows the ${count} latest groups`,
  largestGroups: (count: number) => `Shows the ${count} largest groups`,
  firstRows: (count: number) => `Shows the first ${count} rows`,
  noRows: 'The query has no rows.',
  noStatuses: 'The attribute has no statuses.',
  status: 'Status',
  reached: 'Reached',
  ofTheFirst: 'Of the first',
  now: 'Now',
  average: 'Average',
  median: 'Median',
  target: 'Target',
  overTarget: 'Over target',
  countOverTarget: (count: number) => ` · ${count} over target`,
  averageTime: 'Average time',
  averageTimeAndTarget: 'Average time; the dashed line is the target',
  titleIn: (title: string, workspace: string) => `${title} in ${workspace}`,
  open: 'Open the dashboard',
  picture: 'The charts of the dashboard; their numbers are in the tables below',
  more: (count: number) => `And ${count} more.`,
  footer: 'You get this email on a schedule. To pause or end it, open the dashboard and choose “Emails…” in its menu:',
}

const WORDS: Readonly<Record<Language, typeof ENGLISH>> = {
  en: ENGLISH,
  de: {
    entries: 'Einträge',
    noun: (plural) => plural,
    without: 'Ohne',
    others: 'Andere',
    measure: 'Kennzahl',
    value: 'Wert',
    functions: { sum: 'Summe', average: 'Durchschnitt', min: 'Kleinster Wert', max: 'Größter Wert' },
    numberOf: (noun) => `Anzahl ${noun}`,
    of: (name, title) => `${name} von ${title}`,
    weekOf: (day) => `Woche vom ${day}`,
    gone: 'Was dieses Diagramm zeigt, gibt es nicht mehr.',
    noMatch: (noun) => `Keine zutreffenden ${noun}.`,
    latestGroups: (count) => `Zeigt die ${count} neuesten Gruppen`,
    largestGroups: (count) => `Zeigt die ${count} größten Gruppen`,
    firstRows: (count) => `Zeigt die ersten ${count} Zeilen`,
    noRows: 'Die Abfrage hat keine Zeilen.',
    noStatuses: 'Das Attribut hat keine Status.',
    status: 'Status',
    reached: 'Erreicht',
    ofTheFirst: 'Von der ersten',
    now: 'Jetzt',
    average: 'Durchschnitt',
    median: 'Median',
    target: 'Ziel',
    overTarget: 'Über dem Ziel',
    countOverTarget: (count) => ` · ${count} über dem Ziel`,
    averageTime: 'Durchschnittliche Dauer',
    averageTimeAndTarget: 'Durchschnittliche Dauer; die gestrichelte Linie ist das Ziel',
    titleIn: (title, workspace) => `${title} in ${workspace}`,
    open: 'Dashboard öffnen',
    picture: 'Die Diagramme des Dashboards; ihre Zahlen stehen in den Tabellen darunter',
    more: (count) => `Und ${count} weitere.`,
    footer:
      'Sie erhalten diese E-Mail nach einem Zeitplan. Um ihn anzuhalten oder zu beenden, öffnen Sie das Dashboard, und wählen Sie „E-Mails …“ in seinem Menü:',
  },
}
