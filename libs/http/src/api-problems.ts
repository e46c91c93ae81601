import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiResponse } from '@nestjs/swagger';
import { buildProblem, statusOfCode, titleOfCode } from './problem';

/** The form of every error, for the OpenAPI document. */
export class ProblemDto {
  @ApiProperty({ example: '/docs/errors/not_found' })
  type!: string;

  @ApiProperty()
  title!: string;

  @ApiProperty({ type: 'integer' })
  status!: number;

  @ApiProperty({ example: 'not_found' })
  code!: string;

  @ApiProperty()
  detail!: string;

  @ApiProperty()
  request_id!: string;
}

/** Documents the errors a route may answer with, by their codes. */
export function ApiProblems(...codes: string[]): MethodDecorator & ClassDecorator {
  const statuses = [...new Set(codes.map(statusOfCode))];
  return applyDecorators(
    ...statuses.map((status) => {
      const here = codes.filter((code) => statusOfCode(code) === status);
      const examples = Object.fromEntries(
        here.map((code) => [code, { value: buildProblem(code, titleOfCode(code), 'the-request-id') }]),
      );
      return ApiResponse({
        status,
        description: here.join(', '),
        content: {
          'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemDto' }, examples },
        },
      });
    }),
  );
}
