/** Splits cells with several email addresses or telephone numbers, and drops what people write around them. */

/** Only addresses, separated by commas. */
const BARE_EMAILS = /^[^\s;|<>:]+$/
/** Only one number. */
const BARE_PHONE = /^\+?\d(?:[\d() .-]*\d)?$/

/** `Ada <ada@example.com>; mailto:bob@example.com`. */
export const splitEmails = (text: string): string[] =>
  BARE_EMAILS.test(text) ? text.split(',').filter(isFilled) : splitWritten(text)

const splitWritten = (text: string): string[] =>
  text
    .split(/[;|\n,]/)
    .flatMap((part) => /<([^<>]+)>/.exec(part)?.[1] ?? part.trim().split(/\s+/))
    .map((part) => part.trim().replace(/^mailto:/i, ''))
    .filter(isFilled)

/** Semicolons, bars, slashes, commas and line breaks separate numbers. The apostrophe of a spreadsheet is dropped. */
export const splitPhones = (text: string): string[] => (BARE_PHONE.test(text) ? [text] : splitNumbers(text))

const splitNumbers = (text: string): string[] =>
  text
    .split(/[;|\n,/]/)
    .map((part) => part.trim().replace(/^'/, ''))
    .filter(isFilled)

const isFilled = (part: string): boolean => part !== ''
