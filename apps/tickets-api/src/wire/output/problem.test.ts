import { AppError, toProblem } from '@keydesk/server';
import { describe, expect, it } from 'vitest';
import { example, exampleSchema } from '../example-ticket.fixture.ts';
import { compileXmlWriter } from '../xml/xml-writer.ts';
import { createProblemRenderer } from './problem.ts';

const render = createProblemRenderer({ current: exampleSchema });

describe('a problem document (RFC 9457)', () => {
  const errors = [{ field: 'tags[2]', code: 'too_long', message: 'must have <= 5 characters' }];

  it('is an XML document in the namespace of Appendix B, with every fault', () => {
    const problem = toProblem(new AppError('validation_failed', 'See errors.', { errors }), 'r1');
    expect(render('xml', problem)).toBe(
      [
        '<?xml version="1.0" encoding="UTF-8"?>\n<problem xmlns="urn:ietf:rfc:7807">',
        '<type>urn:keydesk:problem:validation_failed</type><title>The data is invalid</title><status>400</status>',
        '<detail>See errors.</detail><code>validation_failed</code><request_id>r1</request_id>',
        '<errors><error><field>tags[2]</field><code>too_long</code><message>must have &lt;= 5 characters</message></error></errors>',
        '</problem>',
      ].join(''),
    );
  });

  it('has the same content in JSON', () => {
    const problem = toProblem(new AppError('validation_failed', 'See errors.', { errors }), 'r1');
    expect(JSON.parse(render('json', problem))).toEqual(problem);
  });

  it('renders a resource by its schema', () => {
    const problem = toProblem(
      new AppError('precondition_failed', 'x', { extensions: { current: example } }),
      'r1',
    );
    expect(render('xml', problem)).toContain(compileXmlWriter(exampleSchema, 'current')(example));
    expect(JSON.parse(render('json', problem)).current).toEqual(example);
  });

  it('renders other extensions with array elements named i', () => {
    const extensions = { allowed: ['new', 'open'], limit: 3, retry: { after: null } };
    const problem = toProblem(new AppError('conflict', 'x', { extensions }), 'r1');
    expect(render('xml', problem)).toContain(
      '<allowed><i>new</i><i>open</i></allowed><limit>3</limit><retry><after nil="true"/></retry>',
    );
  });

  it('stays well-formed when it quotes invalid characters', () => {
    const problem = toProblem(new AppError('malformed_body', 'Unexpected \u0001 \uD800 \uFFFF <'), 'r1');
    expect(render('xml', problem)).toContain('<detail>Unexpected \uFFFD \uFFFD \uFFFD &lt;</detail>');
  });
});
