/** Addresses and telephone numbers, several in one cell, with what people write around them. */

/** Addresses and nothing else, with commas between them where there are several. */
const BARE_EMAILS = /^[^\s;|<>:]+$/
/** One number and nothing else. */
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

/** Numbers apart by semicolons, bars, slashes, commas or line breaks; an apostrophe from a spreadsheet goes. */
export const splitPhones = (text: string): string[] => (BARE_PHONE.test(text) ? [text] : splitNumbers(text))

const splitNumbers = (text: string): string[] =>
  text
    .split(/[;|\n,/]/)
    .map((part) => part.trim().replace(/^'/, ''))
    .filter(isFilled)

const isFilled = (part: string): boolean => part !== ''
