/** Addresses and telephone numbers, several in one cell, with what people write around them. */

/** `Ada <ada@example.com>; mailto:bob@example.com`. */
export const splitEmails = (text: string): string[] =>
  text
    .split(/[;|\n,]/)
    .flatMap((part) => /<([^<>]+)>/.exec(part)?.[1] ?? part.trim().split(/\s+/))
    .map((part) => part.trim().replace(/^mailto:/i, ''))
    .filter((part) => part !== '')

/** Numbers apart by semicolons, bars, slashes, commas or line breaks; an apostrophe from a spreadsheet goes. */
export const splitPhones = (text: string): string[] =>
  text
    .split(/[;|\n,/]/)
    .map((part) => part.trim().replace(/^'/, ''))
    .filter((part) => part !== '')
