import { ValidationPipe, type ValidationError } from '@nestjs/common';
import { ValidationFailedError, type FieldProblem } from '@app/kernel';

function problemsOf(errors: ValidationError[], path = ''): FieldProblem[] {
  return errors.flatMap((error) => {
    const field = path ? `${path}.${error.property}` : error.property;
    const own = Object.values(error.constraints ?? {}).map((problem) => ({ field, problem }));
    return [...own, ...problemsOf(error.children ?? [], field)];
  });
}

/** Takes what a DTO declares and nothing else: an unknown field is an error, since it is most likely misspelt. */
export class StrictValidationPipe extends ValidationPipe {
  constructor() {
    super({
      whitelist: true,
      forbidNonWhitelisted: true,
      transform: true,
      validationError: { target: false, value: false },
      exceptionFactory: (errors) => new ValidationFailedError(problemsOf(errors)),
    });
  }
}
