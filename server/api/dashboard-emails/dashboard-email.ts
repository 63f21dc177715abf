/** The email of a dashboard: its picture, the numbers of all charts as tables, and a link. */

import type { Email } from '#crm/email/send-email'
import type { ShownTable } from '#vocabulary/chart-drawing'
import { arranged } from '#vocabulary/charts'
import type { ChartContent } from './chart-content'
import { COLORS, escapeXml } from './dashboard-picture'
import type { EmailTexts } from './texts'

export interface DashboardEmail {
  readonly to: string
  readonly title: string
  readonly workspaceName: string
  /** The time of the numbers, as text. */
  readonly time: string
  /** The address of the dashboard with the same filters. */
  readonly url: string
  readonly charts: readonly ChartContent[]
  readonly texts: EmailTexts
  readonly png: Uint8Array
  readonly width: number
  readonly messageId: string
}

const PICTURE = 'dashboard'
/** The other rows of a table are at the console. */
const MAX_ROWS = 50

export function dashboardEmail(email: DashboardEmail): Email {
  const { to, title, workspaceName, texts, png, messageId } = email
  const charts = arranged(email.charts)
  return {
    to,
    subject: texts.words.titleIn(title, workspaceName),
    text: textOf(email, charts),
    html: htmlOf(email, charts),
    pictures: [{ cid: PICTURE, fileName: 'dashboard.png', content: png }],
    messageId,
  }
}

function textOf(
  { title, workspaceName, time, url, texts: { words } }: DashboardEmail,
  charts: readonly ChartContent[],
): string {
  return [
    `${words.titleIn(title, workspaceName)}\n${time}`,
    url,
    ...charts.map((chart) => [chart.title, '-'.repeat(chart.title.length), ...linesOf(chart, words)].join('\n')),
    `${words.footer}\n${url}`,
  ].join('\n\n')
}

function linesOf(chart: ChartContent, words: EmailTexts['words']): readonly string[] {
  if (chart.kind === 'nothing') return [chart.text]
  const { head, rows, more } = cutTable(chart.table, words)
  const widths = head.map((cell, column) => Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const aligned = [head, ...rows].map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
  return [...aligned, ...(more === undefined ? [] : [more]), ...(chart.note === undefined ? [] : [chart.note])]
}

function cutTable(
  { head, rows }: ShownTable,
  words: EmailTexts['words'],
): ShownTable & { readonly more: string | undefined } {
  const left = rows.length - MAX_ROWS
  return { head, rows: rows.slice(0, MAX_ROWS), more: left > 0 ? words.more(left) : undefined }
}

const CELL = `padding:4px 12px 4px 0;border-bottom:1px solid ${COLORS.line};font-weight:400`

function htmlOf(
  { title, workspaceName, time, url, texts, width }: DashboardEmail,
  charts: readonly ChartContent[],
): string {
  const link = escapeXml(url)
  const { words } = texts
  const tables = charts.map(
    (chart) =>
      `<h2 style="margin:24px 0 4px;font-size:15px">${escapeXml(chart.title)}</h2>${htmlOfNumbers(chart, words)}`,
  )
  return [
    `<!doctype html><html lang="${texts.language}"><head><meta charset="utf-8"><title>${escapeXml(title)}</title></head>`,
    `<body style="margin:0;padding:16px;background:${COLORS.ground};color:${COLORS.ink};font:14px/1.5 Inter,system-ui,sans-serif">`,
    `<h1 style="margin:0;font-size:20px">${escapeXml(title)}</h1>`,
    `<p style="margin:0 0 16px;color:${COLORS['ink-soft']}">${escapeXml(workspaceName)} · ${escapeXml(time)}</p>`,
    `<p><a href="${link}" style="color:${COLORS['series-1']}">${escapeXml(words.open)}</a></p>`,
    `<a href="${link}"><img src="cid:${PICTURE}" width="${width}" style="display:block;width:100%;max-width:${width}px;height:auto" alt="${escapeXml(words.picture)}"></a>`,
    ...tables,
    `<p style="margin-top:32px;color:${COLORS['ink-faint']};font-size:12px">${escapeXml(words.footer)} <a href="${link}" style="color:${COLORS['ink-faint']}">${link}</a></p>`,
    '</body></html>',
  ].join('\n')
}

function htmlOfNumbers(chart: ChartContent, words: EmailTexts['words']): string {
  if (chart.kind === 'nothing') return `<p style="color:${COLORS['ink-soft']}">${escapeXml(chart.text)}</p>`
  const { head, rows, more } = cutTable(chart.table, words)
  const cells = (row: readonly string[], scope: 'col' | 'row') =>
    row
      .map((cell, column) => {
        const tag = scope === 'col' || column === 0 ? 'th' : 'td'
        const align = column === 0 ? 'left' : 'right'
        return `<${tag}${tag === 'th' ? ` scope="${scope}"` : ''} style="${CELL};text-align:${align}">${escapeXml(cell)}</${tag}>`
      })
      .join('')
  const notes = [more, chart.note].filter((each) => each !== undefined)
  return [
    '<table style="border-collapse:collapse">',
    `<thead style="color:${COLORS['ink-faint']};font-size:12px"><tr>${cells(head, 'col')}</tr></thead>`,
    `<tbody>${rows.map((row) => `<tr>${cells(row, 'row')}</tr>`).join('')}</tbody></table>`,
    ...notes.map(
      (note) => `<p style="margin:4px 0;color:${COLORS['ink-faint']};font-size:12px">${escapeXml(note)}</p>`,
    ),
  ].join('')
}
