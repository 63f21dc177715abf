/**
 * The text of a message: which of its parts are text, and what they say, without anything that acts or loads something. See
 * docs/decisions/email-texts.md.
 */

import { decode as decodeQuotedPrintable } from 'libqp'
import type { EmailAttachment, EmailText } from '#crm/mailboxes/email-texts'
import { cleanLine, trimEnd } from '#base/text/csv-line'
import { textOfHtml } from '#base/text/html-text'
import { inSlices, isSliceOver, nextTurn } from '#base/timing/in-slices'

/** The structure of a part of a message, as BODYSTRUCTURE of IMAP describes it. */
export interface MessagePart {
  /** Names the part in requests. Absent for a message of one part. */
  readonly part?: string | undefined
  readonly type: string
  readonly parameters?: Readonly<Record<string, string>> | undefined
  readonly id?: string | undefined
  readonly encoding?: string | undefined
  /** In bytes of the transfer encoding. */
  readonly size?: number | undefined
  readonly disposition?: string | undefined
  readonly dispositionParameters?: Readonly<Record<string, string>> | undefined
  readonly childNodes?: readonly MessagePart[] | undefined
}

/** A part that is text. */
export interface TextPart {
  readonly section: string
  readonly isHtml: boolean
  readonly charset: string
  readonly encoding: string
  /** Given for `format=flowed` (RFC 3676), in which several lines are a paragraph. */
  readonly flow?: { readonly deletesSpace: boolean }
  readonly size: number
}

export interface MessageContents {
  /** The text consists of all of them. */
  readonly texts: readonly TextPart[]
  readonly attachments: readonly EmailAttachment[]
}

/** Parts below this depth are left out. */
const MAX_DEPTH = 30
const MAX_TEXTS = 10
const MAX_ATTACHMENTS = 100

/** Plain text comes before HTML. */
export function contentsOf(message: MessagePart): MessageContents {
  const { texts, attachments } = partsOf(message, 0)
  return { texts: texts.slice(0, MAX_TEXTS), attachments: attachments.slice(0, MAX_ATTACHMENTS) }
}

const NONE: MessageContents = { texts: [], attachments: [] }

function partsOf(node: MessagePart, depth: number): MessageContents {
  if (depth > MAX_DEPTH) return NONE
  const isMultipart = node.type.startsWith('multipart/')
  if (!isMultipart) return isText(node) ? { texts: [textPart(node)], attachments: [] } : { texts: [], attachments: [attachmentOf(node)] } // prettier-ignore
  const children = node.childNodes ?? []
  switch (node.type) {
    case 'multipart/alternative':
      return alternativeOf(children.map((child) => partsOf(child, depth + 1)))
    // A signature says nothing to people.
    case 'multipart/signed':
      return children[0] === undefined ? NONE : partsOf(children[0], depth + 1)
    // Pictures that the HTML shows are no attachments.
    case 'multipart/related':
      return joined(children.filter((child, index) => index === 0 || !isShownInHtml(child)), depth) // prettier-ignore
    default:
      return joined(children, depth)
  }
}

function joined(children: readonly MessagePart[], depth: number): MessageContents {
  const found = children.map((child) => partsOf(child, depth + 1))
  return { texts: found.flatMap(({ texts }) => texts), attachments: found.flatMap(({ attachments }) => attachments) }
}

/** An invitation without a name is another form of the text. */
function alternativeOf(alternatives: readonly MessageContents[]): MessageContents {
  const plain = alternatives.find(({ texts }) => texts.some(({ isHtml, size }) => !isHtml && size > BLANK))
  const chosen = plain ?? alternatives.findLast(({ texts }) => texts.length > 0)
  const attachments = alternatives.flatMap((each) => each.attachments).filter(({ name }) => name !== null)
  return { texts: chosen?.texts ?? [], attachments }
}

/** Some programs write a blank text beside HTML. HTML says the same as a text that is so short. */
const BLANK = 20

const isText = ({ type, disposition }: MessagePart): boolean =>
  (type === 'text/plain' || type === 'text/html') && disposition !== 'attachment'

const isShownInHtml = ({ id, disposition }: MessagePart): boolean => id !== undefined && disposition !== 'attachment'

const textPart = ({ part = '1', type, parameters = {}, encoding = '', size = 0 }: MessagePart): TextPart => ({
  section: part,
  isHtml: type === 'text/html',
  charset: (parameters.charset ?? '').trim().toLowerCase(),
  encoding: encoding.trim().toLowerCase(),
  size,
  ...(parameters.format?.toLowerCase() === 'flowed' && type === 'text/plain'
    ? { flow: { deletesSpace: parameters.delsp?.toLowerCase() === 'yes' } }
    : {}),
})

const MAX_NAME = 255
const MEDIA_TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/

function attachmentOf({ type, parameters, dispositionParameters, encoding, size }: MessagePart): EmailAttachment {
  return {
    name: cleanLine(dispositionParameters?.filename ?? parameters?.name, MAX_NAME),
    content_type: MEDIA_TYPE.test(type) ? type : 'application/octet-stream',
    size: size === undefined ? null : encoding === 'base64' ? Math.floor(size * BASE64) : size,
  }
}

/** A line of 76 characters and two for its end is 57 bytes. */
const BASE64 = 57 / 78

/** More bytes of a text in its transfer encoding are not read. */
export const MAX_TEXT_BYTES = 256 * 1024
/** A longer text is cut. */
const MAX_TEXT_LENGTH = 100_000

export interface TextBytes {
  readonly part: TextPart
  /** In the transfer encoding, at most `MAX_TEXT_BYTES`. */
  readonly bytes: Buffer
}

/** The text of all parts, without control characters and repeated empty lines. */
export async function readText(parts: readonly TextBytes[]): Promise<Pick<EmailText, 'text' | 'isCut'>> {
  const texts: string[] = []
  for (const each of parts) {
    if (isSliceOver()) await nextTurn()
    const decoded = await decode(each)
    await nextTurn()
    texts.push(cleanText(each.part.isHtml ? await inSlices(textOfHtml(decoded, MAX_TEXT_LENGTH + 1)) : decoded))
  }
  const text = texts.filter((each) => each !== '').join('\n\n')
  const { text: stored, isCut } = cutText(text)
  return { text: stored, isCut: isCut || parts.some(isShortened) }
}

const isShortened = ({ bytes }: TextBytes): boolean => bytes.length >= MAX_TEXT_BYTES

/** The text that a member wrote, in the form of one that was read. */
export const writtenText = (text: string): Pick<EmailText, 'text' | 'isCut'> => cutText(cleanText(text))

const cutText = (text: string): Pick<EmailText, 'text' | 'isCut'> => ({
  text: text === '' ? null : text.slice(0, MAX_TEXT_LENGTH).toWellFormed().trimEnd(),
  isCut: text.length > MAX_TEXT_LENGTH,
})

/** The characters of a part. A text without a charset, or not in the UTF-8 that it names, is in the charset that most such texts have. */
async function decode(given: TextBytes): Promise<string> {
  const { part, bytes } = given
  const decoded = decodeTransfer(part, bytes)
  const all = decoderOf(part.charset).decode(decoded)
  // The last character may be a part of one.
  const text = isShortened(given) ? trimEnd(all, '\ufffd') : all
  const certain = UNCERTAIN.has(part.charset) && text.includes('\ufffd') ? decoderOf(FALLBACK).decode(decoded) : text
  return part.flow === undefined ? certain : (await flow()).decodeFlowed(certain, part.flow.deletesSpace)
}

function decodeTransfer({ encoding }: TextPart, bytes: Buffer): Buffer {
  if (encoding === 'quoted-printable') return decodeQuotedPrintable(bytes)
  // Some programs write the end of base64 in every line.
  return encoding === 'base64' ? Buffer.concat(bytes.toString('latin1').split(/=+/).map((text) => Buffer.from(text, 'base64'))) : bytes // prettier-ignore
}

const FALLBACK = 'windows-1252'
const UNCERTAIN = new Set(['', 'us-ascii', 'ascii', 'utf-8', 'utf8'])

function decoderOf(charset: string): TextDecoder {
  if (UNCERTAIN.has(charset)) return new TextDecoder()
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder(FALLBACK)
  }
}

/** Loaded by the first text that needs it. */
const flow = async () => (await import('libmime')).default

const LINE_END = /\r\n?|\u2028|\u2029/g
const CONTROL = /[^\P{Cc}\n\t]/gu

function cleanText(text: string): string {
  const lines = text
    .replace(LINE_END, '\n')
    .replace(CONTROL, '')
    .split('\n')
    .map((line) => line.trimEnd())
  return lines
    .filter((line, index) => line !== '' || lines[index - 1] !== '')
    .join('\n')
    .trim()
}
