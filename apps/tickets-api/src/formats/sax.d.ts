/** What is used of `sax`, which brings no types of its own. */
declare module 'sax' {
  interface Parser {
    /** Counted from 0. */
    line: number;
    onerror: (err: Error) => void;
    ontext: (text: string) => void;
    oncdata: (text: string) => void;
    onopencdata: () => void;
    onopentagstart: (tag: { name: string; attributes: object }) => void;
    onattribute: (attribute: { name: string; value: string }) => void;
    onclosetag: (name: string) => void;
    onprocessinginstruction: () => void;
    ondoctype: () => void;
    onsgmldeclaration: () => void;
    write(chunk: string): Parser;
    close(): Parser;
  }
  const sax: { parser(isStrict: boolean, options: { strictEntities: boolean }): Parser };
  export = sax;
}
