/**
 * Prepares pasted HTML for the parser of the editor: elements without attributes, styles as elements, line breaks as characters.
 * Nothing of it runs or is loaded, because the document that it is read into is never shown.
 */

/** Stands for a line break until the blocks are divided there. */
export const LINE_SEPARATOR = '\u2028'

const DROPPED = 'style, script, title, img:not([data-file]), svg, video, audio, iframe, object, template'

/** The editor marks what it copies with the last one. Images of notes have the id of their file. */
const KEPT_ATTRIBUTES = ['href', 'alt', 'data-file', 'data-pm-slice']

const TAG_PATTERN = /<[a-z][^<>]*>/gi
const STYLE_PATTERN = /\sstyle\s*=/gi
const HANDLER_PATTERN = /\son[a-z]+\s*=/gi

export function cleanHtml(html: string): string {
  const { body } = new DOMParser().parseFromString(html.replaceAll(TAG_PATTERN, withoutPolicyViolations), 'text/html')
  for (const element of body.querySelectorAll(DROPPED)) element.remove()
  for (const element of body.querySelectorAll('br')) element.replaceWith(LINE_SEPARATOR)
  for (const element of body.querySelectorAll('pre')) {
    element.textContent = (element.textContent ?? '').replaceAll('\n', LINE_SEPARATOR)
  }
  for (const element of body.querySelectorAll('[data-style]')) replaceStyle(element)
  for (const element of body.querySelectorAll('*')) removeAttributes(element)
  return body.innerHTML
}

/** The content security policy blocks these attributes, also in a document that is not shown, and the browser reports each. */
const withoutPolicyViolations = (tag: string): string =>
  tag.replaceAll(STYLE_PATTERN, ' data-style=').replaceAll(HANDLER_PATTERN, ' data-handler=')

/** What a style says about its text, and the element that says the same. */
const STYLES: readonly (readonly [RegExp, string])[] = [
  [/font-weight: ?(?:bold|[6-9]00)/, 'strong'],
  [/font-style: ?italic/, 'em'],
  [/text-decoration[a-z-]*: ?line-through/, 's'],
]
const NOT_BOLD_PATTERN = /font-weight: ?(?:normal|400)/
const MAX_STYLE_LENGTH = 2000

function replaceStyle(element: Element): void {
  const style = (element.getAttribute('data-style') ?? '').slice(0, MAX_STYLE_LENGTH).toLowerCase()
  for (const [pattern, tag] of STYLES) {
    if (!pattern.test(style)) continue
    const inner = element.ownerDocument.createElement(tag)
    inner.append(...element.childNodes)
    element.append(inner)
  }
  // Google Docs wraps all that it copies in a `b` that is not bold.
  if (element.tagName === 'B' && NOT_BOLD_PATTERN.test(style)) element.replaceWith(...element.childNodes)
}

function removeAttributes(element: Element): void {
  for (const name of element.getAttributeNames()) if (!KEPT_ATTRIBUTES.includes(name)) element.removeAttribute(name)
}
